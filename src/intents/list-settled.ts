import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { longestReadMs, type Page, readSortedPage, type Slice } from '../input/pagination.ts'
import { type Span, within } from '../input/span.ts'
import type { Intent } from './intent.ts'

type Filter = Record<string, unknown>

/** The maximum number of intents that `refundedInBetween` returns. Their ids form a filter of about 350 kB. */
const maxInBetween = 10_000

/** Lists the intents that were paid in a span, newest first. `where` is the rest of the filter. */
export const listPaid = (
  { Intent }: Pick<Deps, 'Intent'>,
  where: Filter,
  span: Span,
  fields: Record<string, 0>,
  slice: Slice,
): Promise<Page<Intent>> =>
  readSortedPage<Intent>(
    Intent,
    { where: { ...where, ...within('payment.paidAt', span) }, index: 'byPaidAt', fields },
    slice,
  )

/**
 * Lists the intents with at least one successful refund in a span, newest first. MongoDB finds almost all of them in
 * the index alone, because the first or the last refund is in the span. `refundedInBetween` finds the others.
 */
export async function listRefunded(
  deps: Pick<Deps, 'Intent'>,
  where: Filter,
  span: Span,
  fields: Record<string, 0>,
  slice: Slice,
): Promise<Page<Intent>> {
  const { from, to } = span
  // The filter is at the top level, or one `$or` of complete filters. MongoDB reads documents for any other form.
  const read = (...filters: [Filter, ...Filter[]]) => {
    const [one, ...others] = filters.map((filter) => ({ ...where, ...filter }))
    const all = others.length === 0 ? one : { $or: [one, ...others] }
    return readSortedPage<Intent>(deps.Intent, { where: { ...all }, index: 'byRefundTimes', fields }, slice)
  }
  if (to === null) return read(within('refundTimes.lastAt', span))
  if (from === null) return read({ ...firstIn(span), 'refundTimes.lastAt': { $gte: new Date(0) } })
  const inBetween = await refundedInBetween(deps, where, { from, to })
  return read(
    within('refundTimes.lastAt', span),
    { 'refundTimes.count': { $gte: 2 }, 'refundTimes.lastAt': { $gt: to }, ...firstIn(span) },
    ...(inBetween.length === 0 ? [] : [{ ...aroundSpan({ from, to }), _id: { $in: inBetween } }]),
  )
}

/** Matches the intents of which neither the first nor the last refund is in the span, but another one may be. */
const aroundSpan = ({ from, to }: { from: Date; to: Date }): Filter => ({
  'refundTimes.count': { $gte: 3 },
  'refundTimes.lastAt': { $gt: to },
  'refundTimes.firstAt': { $lt: from },
})

const firstIn = (span: Span): Filter => within('refundTimes.firstAt', span)

/**
 * Returns the ids of the intents with a refund in the span, whose first refund was before the span and whose last
 * refund was after it. Reads only documents of intents with three or more refunds.
 */
async function refundedInBetween(
  { Intent }: Pick<Deps, 'Intent'>,
  where: Filter,
  { from, to }: { from: Date; to: Date },
): Promise<string[]> {
  const found = await Intent.find(
    {
      ...where,
      ...aroundSpan({ from, to }),
      refunds: { $elemMatch: { refundedAt: { $gte: from, $lte: to } } },
    },
    { _id: 1 },
    { hint: 'byRefundTimes', maxTimeMS: longestReadMs },
  )
    .limit(maxInBetween + 1)
    .lean()
  if (found.length > maxInBetween)
    throw refuse('VALIDATION_ERROR', {
      param: 'refundedFrom',
      message: 'Too many intents have refunds before, within and after this range. Shorten the list with from and to.',
    })
  return found.map(({ _id }) => _id)
}
