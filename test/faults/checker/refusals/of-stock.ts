import type { Round } from '../round.ts'
import { groupsOf, sumOf } from '../views/groups.ts'
import { unitsAskedFor } from '../views/order-lines.ts'
import { lateMs } from '../views/requests.ts'
import { type AskedLine, type Change, changesOf } from '../views/stock-changes.ts'
import type { Span } from '../views/times.ts'
import type { Reason, Refusal } from './refusal.ts'

/** Of some variant there may have been less than was wanted. */
export const notInStock: Reason = (round, refusal) => {
  const wanted = wantedIn(round, refusal)
  const least = leastIn(round, refusal)
  return wanted === null || [...wanted].some(([variant, units]) => (least(variant) ?? 0) < units)
}

/** How many of each variant, at the most, of any of its tries; null where it named none, or one that nobody knows. */
function wantedIn(round: Round, { call, request }: Refusal): Map<string, number> | null {
  const wanted = new Map<string, number>()
  for (const { body, path } of request?.tries ?? [call]) {
    const lines = call.what === 'order' ? linesIn(body) : [takenBy(path, body)]
    if (lines === undefined) return null
    for (const [variant, units] of unitsAskedFor(round, lines)) {
      if (variant === undefined) return null
      wanted.set(variant, Math.max(wanted.get(variant) ?? 0, units))
    }
  }
  return wanted
}

const linesIn = (body: unknown): AskedLine[] | undefined => (body as { items?: AskedLine[] } | null)?.items

/** A change of stock as a line of an order. */
function takenBy(path: string, body: unknown): AskedLine {
  const [, productId = '', named = ''] = /\/products\/([^/]+)\/variants\/([^/]+)\/stock/.exec(path) ?? []
  const { delta = 0 } = (body ?? {}) as { delta?: number }
  return { productId, variantId: decodeURIComponent(named), quantity: -delta }
}

/** The lowest stock that a variant may have had in the span; null where nobody knows what it began with. */
function leastIn(round: Round, { span, request }: Refusal): (variant: string) => number | null {
  const changes = groupsOf(changesOf(round), ({ variant }) => variant)
  const held = heldBeside(round, span, request)
  return (variant) => {
    const begun = round.setting.stock.find((each) => each.variant === variant)?.quantity
    if (begun === undefined) return null
    const own = changes.get(variant) ?? []
    return leastOf(begun, own, span) - sumOf(held, (lines) => lines.get(variant) ?? 0)
  }
}

function leastOf(begun: number, changes: Change[], span: Span): number {
  const start: Change = { variant: '', from: 0, to: 0, kind: 'set', amounts: [begun], isSure: true }
  const counts = [start, ...changes.filter(({ kind, from }) => kind === 'set' && from <= span.to)]
  const last = counts.filter(
    (one) => !counts.some((other) => other.isSure && other.from > one.to && other.to <= span.from),
  )
  const deltas = changes.filter(({ kind }) => kind === 'delta')
  return Math.min(
    ...last.map((count) => Math.min(...count.amounts) + sumOf(deltas, (delta) => lowest(delta, count, span))),
  )
}

/** What it took off that count by the end of the span, at the worst; what it brought counts only where it surely had by the begin. */
function lowest({ amounts, from, to, isSure }: Change, count: Change, span: Span): number {
  const least = Math.min(...amounts)
  if (least < 0) return to >= count.from && from <= span.to ? least : 0
  return isSure && from > count.to && to <= span.from ? least : 0
}

/** Orders that came to nothing hold what they asked for until they are told so. */
function heldBeside(round: Round, span: Span, own: Refusal['request']): Map<string | undefined, number>[] {
  return round.requests
    .filter(
      ({ what, tries, ...request }) =>
        what === 'order' &&
        tries !== own?.tries &&
        (request.settled?.status ?? 500) >= 300 &&
        tries.some(({ began, ended }) => began <= span.to && ended + lateMs >= span.from),
    )
    .map(({ tries }) => unitsAskedFor(round, linesIn(tries[0]?.body) ?? []))
}
