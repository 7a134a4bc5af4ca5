import type { ListIntentsQuery, rangeQuery } from '../../schemas/list-intents.ts'
import { refuse } from '../errors.ts'
import { readNamedSpan, type Span } from '../input/span.ts'

/** A range by which a list of intents is limited, besides the time of creation. Both ends are inclusive. */
export type ListRange =
  | { of: 'payments' | 'refunds'; span: Span }
  | { of: 'amounts'; min: number | null; max: number | null }

type Param = keyof typeof rangeQuery

/** The parameters of each range: its start and its end. */
const ranges = [
  ['paidFrom', 'paidTo'],
  ['refundedFrom', 'refundedTo'],
  ['minAmount', 'maxAmount'],
] as const satisfies [Param, Param][]

/**
 * Returns the range in a validated query, or null. Throws VALIDATION_ERROR for two ranges: there is an index for each
 * range, but none for a combination, so MongoDB would have to read intents that are not in the list.
 */
export function readRange(query: ListIntentsQuery): ListRange | null {
  const [first, second] = ranges.flatMap((pair) => pair.find((name) => query[name] !== undefined) ?? [])
  if (first === undefined) return null
  if (query.merchantReference !== undefined)
    throw refuse('VALIDATION_ERROR', {
      param: first,
      message: `${first} cannot be combined with merchantReference, because few intents have the same reference.`,
    })
  if (second !== undefined)
    throw refuse('VALIDATION_ERROR', {
      param: second,
      message: `${second} cannot be combined with ${first}. A list can be limited by the time of payment, the time of refund or the amount, but only by one of these. Each of them can be combined with from, to and status.`,
    })
  if (first === 'minAmount' || first === 'maxAmount') return readAmounts(query)
  if (first === 'paidFrom' || first === 'paidTo')
    return { of: 'payments', span: readNamedSpan(query, 'paidFrom', 'paidTo') }
  return { of: 'refunds', span: readNamedSpan(query, 'refundedFrom', 'refundedTo') }
}

function readAmounts({ minAmount, maxAmount }: ListIntentsQuery): ListRange {
  const min = minAmount === undefined ? null : Number(minAmount)
  const max = maxAmount === undefined ? null : Number(maxAmount)
  if (min !== null && max !== null && min > max)
    throw refuse('VALIDATION_ERROR', {
      param: 'minAmount',
      message: 'minAmount must not be greater than maxAmount.',
    })
  return { of: 'amounts', min, max }
}
