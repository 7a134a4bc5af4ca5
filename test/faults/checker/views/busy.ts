import type { Call, What } from '../../evidence/evidence.ts'
import type { Round } from '../round.ts'
import { referenceIn } from './answers.ts'
import { groupsOf } from './groups.ts'
import type { Request } from './requests.ts'

/**
 * Operations that may say "not now" where nothing is wrong, and whose doing it may be: others hold the stock (docs/store.md), or another
 * refund of the payment is with the wallet.
 */
const rivals: Partial<Record<What, readonly What[]>> = {
  order: ['order', 'stock', 'import', 'product.update', 'product.delete'],
  stock: ['order', 'stock', 'import', 'product.update', 'product.delete'],
  import: ['order', 'stock', 'import', 'product.update', 'product.delete'],
  refund: ['refund'],
}

/** What a rival began may last so much longer than its answer took: its client gave up, or its process died and its lease of 10 s is to end and be found. */
const lastsMs = 20_000
/** Who comes again for so long is served: holds end with the request that has them, by 10 s, and an order or a refund waits for one of them after another. */
const servedMs = 30_000
/** What a wallet provider keeps for itself is asked for again and again meanwhile. */
export const wordless: readonly (string | number)[] = ['hung', 'reset', 'slow', 502]

/**
 * Says of a 503 whether it is one of these, and the evidence has its excuse: a rival for the same thing at that time, or a wallet
 * provider that did not tell; and whoever came again with the key was answered.
 */
export function busyIn(round: Round): (call: Call) => boolean {
  const busy = round.calls.filter(({ what }) => what in rivals || what.startsWith('product.'))
  const byPlace = groupsOf(busy, placeOf)
  const requestOf = new Map(round.requests.flatMap((request) => request.tries.map((call) => [call, request])))
  const isKept = (call: Call): boolean =>
    round.provider.some(
      ({ at, kind, did }) => kind === 'refund' && wordless.includes(did) && isNear(call, at, at),
    )
  return (call) => {
    const { what } = call
    const request = requestOf.get(call)
    if (!(what in rivals) || request === undefined) return false
    if (what === 'refund' && isUnheard(round, call)) return true
    if (!isServed(round, request, call)) return false
    if (what === 'refund' && call.sandbox === false && isKept(call)) return true
    return (byPlace.get(placeOf(call)) ?? []).some(
      (other) =>
        rivals[what]?.includes(other.what) &&
        other.idempotencyKey !== call.idempotencyKey &&
        isNear(call, other.began, other.ended),
    )
  }
}

/** The order of a refund never came to its provider, who says that he does not know it: that may change for a minute and a half (docs/operators/wallet-provider.md). */
function isUnheard({ intentOf, provider, times }: Round, call: Call): boolean {
  const { attempts = [], refunds = [] } = intentOf.get(referenceIn(call) ?? '') ?? {}
  const ended = attempts.filter(
    ({ kind, outcome, at }) =>
      kind === 'refund' && outcome === 'not-executed' && times.machineTime(at).to >= call.began,
  )
  const lost = new Set(
    [...ended, ...refunds.filter(({ status }) => status === 'PENDING')].map(({ id }) => id),
  )
  return provider.some(
    ({ asks, status, key, at }) =>
      asks === 'outcome' && status === 'unknown' && at <= call.ended + lastsMs && lost.has(key),
  )
}

const isNear = (call: Call, from: number, to: number): boolean =>
  from <= call.ended && to + lastsMs >= call.began

/** A refund has rivals of its payment alone; stock is held by whole orders, files and products of one shop. */
const placeOf = (call: Call): string =>
  call.what === 'refund' ? (referenceIn(call) ?? '') : `${call.business} ${call.sandbox}`

/** How long after the healing of all the traffic comes again, less the pause before the last try. */
const asksMs = 55_000

/** Whoever goes on asking is answered: soon, or when what was wrong meanwhile is over. Only the end of the traffic, and a day that passes, keep one from asking. */
function isServed({ times, setting, faults }: Round, { settled, tries }: Request, call: Call): boolean {
  const due = times.calmAfter(call.ended, servedMs)
  if (due === null || (settled !== null && settled.ended <= due)) return true
  const last = Math.max(...tries.map(({ ended }) => ended))
  const stopped = last >= setting.healedAt + asksMs
  const jumped = faults.some(
    ({ what, began }) => what === 'clock.jump' && began >= call.ended && began <= due,
  )
  return settled === null && last < due && (stopped || jumped)
}
