import type { intentRangeQuery, ListIntentsQuery } from '../../schemas/intents.ts'
import type { Caller } from '../businesses/caller.ts'
import { readNamedSpan, readSpan, spanFilter, type TimeSpan } from '../input/span.ts'
import { toCountableList } from '../lists/counts.ts'
import {
  maxListReadMs,
  type Page,
  type PageRequest,
  parsePageRequest,
  readPage,
  readSortedPage,
} from '../lists/pagination.ts'
import { readCountedPage } from '../lists/read-page.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import type { Intent } from './intent.ts'
import { alreadyCancelledAt, isPending, transitions } from './lifecycle.ts'

type Filter = Record<string, unknown>
type Reads = Pick<Deps, 'Intent'>

interface IntentSearch extends PageRequest, TimeSpan {
  status: Intent['status'] | null
  merchantReference: string | null
  range: ListRange | null
}

export const parseIntentList = (query: ListIntentsQuery): IntentSearch => ({
  status: query.status ?? null,
  merchantReference: query.merchantReference ?? null,
  range: readRange(query),
  ...readSpan(query),
  ...parsePageRequest(query),
})

type ListRange =
  | { of: 'payments' | 'refunds'; span: TimeSpan }
  | { of: 'amounts'; limits: { $gte?: number; $lte?: number } }

const ranges = [
  ['paidFrom', 'paidTo'],
  ['refundedFrom', 'refundedTo'],
  ['minAmount', 'maxAmount'],
] as const satisfies (keyof typeof intentRangeQuery)[][]

/** No index covers two ranges, so a list can have only one. */
function readRange(query: ListIntentsQuery): ListRange | null {
  const [first, second] = ranges.flatMap((pair) => pair.find((name) => query[name] !== undefined) ?? [])
  if (first === undefined) return null
  if (query.merchantReference !== undefined)
    throw refuse('VALIDATION_ERROR', {
      param: first,
      message: `${first} can't be combined with merchantReference. A reference matches only a few intents, so filter them on your side.`,
    })
  if (second !== undefined)
    throw refuse('VALIDATION_ERROR', {
      param: second,
      message: `${second} can't be combined with ${first}. Limit the list by payment time, refund time or amount.`,
    })
  if (first === 'minAmount' || first === 'maxAmount') return readAmounts(query)
  if (first === 'paidFrom' || first === 'paidTo')
    return { of: 'payments', span: readNamedSpan(query, 'paidFrom', 'paidTo') }
  return { of: 'refunds', span: readNamedSpan(query, 'refundedFrom', 'refundedTo') }
}

function readAmounts({ minAmount, maxAmount }: ListIntentsQuery): ListRange {
  if (minAmount !== undefined && maxAmount !== undefined && Number(minAmount) > Number(maxAmount))
    throw refuse('VALIDATION_ERROR', {
      param: 'minAmount',
      message: 'minAmount must not be greater than maxAmount.',
    })
  const limits = {
    ...(minAmount !== undefined && { $gte: Number(minAmount) }),
    ...(maxAmount !== undefined && { $lte: Number(maxAmount) }),
  }
  return { of: 'amounts', limits }
}

/** These fields can be larger than all others together. */
export const unlisted = { outbox: 0, marks: 0, requestKey: 0, attempts: 0, lookUpKeys: 0 } as const

/** Lists the newest intents first, and overdue intents as CANCELLED. */
export async function listIntents(
  deps: Pick<Deps, 'Intent' | 'listCounts' | 'now' | 'config'>,
  caller: Caller,
  search: IntentSearch,
  now: Date,
): Promise<Page<Intent>> {
  const { status, merchantReference, range } = search
  if (status === null && merchantReference === null && range === null)
    return readCountedPage<Intent>(
      deps,
      toCountableList(deps, deps.Intent.collection, caller),
      search,
      search,
      unlisted,
    )
  const { businessId, sandbox } = caller
  const owner = { businessId, sandbox }
  const created = { ...owner, ...spanFilter('createdAt', search) }
  if (range !== null && range.of !== 'amounts') {
    const where = { ...created, ...(status && { status }) }
    if (range.of === 'refunds') return listRefunded(deps, where, range.span, search)
    const paid = { ...where, ...spanFilter('payment.paidAt', range.span) }
    return readSortedPage<Intent>(deps.Intent, { where: paid, index: 'byPaidAt', fields: unlisted }, search)
  }
  const inSpan = {
    ...created,
    ...(range && { listedAmount: range.limits }),
    ...(merchantReference && { merchantReference }),
  }
  const hasOverdue = status === transitions.expire.to && (await hasOverdueIntents(deps, owner, now))
  const where = { ...inSpan, ...(status === null ? {} : readingAs(status, now, hasOverdue)) }
  const times = status === null ? null : cancelTimes(status, now)
  const isWhole = merchantReference === null && range === null && search.from === null && search.to === null
  return readPage<Intent>(
    deps.Intent,
    {
      where,
      index: merchantReference !== null ? 'byMerchantReference' : status === null ? 'byTime' : 'byStatus',
      fields: unlisted,
      // Only PENDING and CANCELLED intents have a `cancelsAt`.
      ...(isWhole && times !== null
        ? { counted: { where: { ...owner, ...times }, index: 'byCancelsAt' } }
        : {}),
    },
    search,
  )
}

/** Searching for overdue intents is slow, so skip it if there are none. */
function readingAs(status: Intent['status'], now: Date, hasOverdue: boolean): Record<string, unknown> {
  if (hasOverdue)
    return { status: { $in: [status, ...transitions.expire.from] }, ...transitions.expire.guard(now) }
  return isPending(status) ? { status, ...cancelTimes(status, now) } : { status }
}

function cancelTimes(status: Intent['status'], now: Date): Record<string, unknown> | null {
  if (status === transitions.expire.to) return transitions.expire.guard(now)
  return isPending(status) ? { cancelsAt: { $gt: now } } : null
}

async function hasOverdueIntents(deps: Reads, owner: Filter, now: Date): Promise<boolean> {
  const found = await deps.Intent.findOne(
    { ...owner, cancelsAt: { $gt: alreadyCancelledAt, $lte: now } },
    { _id: 0, cancelsAt: 1 },
    { hint: 'byCancelsAt', maxTimeMS: maxListReadMs },
  ).lean()
  return found !== null
}

/** A filter with this many ids takes up about 350 kB. */
const maxInBetween = 10_000

/** `inBetween` lists intents with refunds before, within and after `span`. */
async function listRefunded(deps: Reads, where: Filter, span: TimeSpan, slice: PageRequest) {
  const { from, to } = span
  // For other filters, MongoDB would have to fetch the documents as well.
  const read = (...filters: [Filter, ...Filter[]]) => {
    const [one, ...others] = filters.map((filter) => ({ ...where, ...filter }))
    const all = others.length === 0 ? one : { $or: [one, ...others] }
    return readSortedPage<Intent>(
      deps.Intent,
      { where: { ...all }, index: 'byRefundTimes', fields: unlisted },
      slice,
    )
  }
  if (to === null) return read(spanFilter('refundTimes.lastAt', span))
  if (from === null) return read({ ...firstIn(span), 'refundTimes.lastAt': { $gte: new Date(0) } })
  const inBetween = await refundedInBetween(deps, where, { from, to })
  return read(
    spanFilter('refundTimes.lastAt', span),
    { 'refundTimes.count': { $gte: 2 }, 'refundTimes.lastAt': { $gt: to }, ...firstIn(span) },
    ...(inBetween.length === 0 ? [] : [{ ...aroundSpan({ from, to }), _id: { $in: inBetween } }]),
  )
}

const aroundSpan = ({ from, to }: { from: Date; to: Date }): Filter => ({
  'refundTimes.count': { $gte: 3 },
  'refundTimes.lastAt': { $gt: to },
  'refundTimes.firstAt': { $lt: from },
})

const firstIn = (span: TimeSpan): Filter => spanFilter('refundTimes.firstAt', span)

async function refundedInBetween({ Intent }: Reads, where: Filter, { from, to }: { from: Date; to: Date }) {
  const found = await Intent.find(
    {
      ...where,
      ...aroundSpan({ from, to }),
      refunds: { $elemMatch: { refundedAt: { $gte: from, $lte: to } } },
    },
    { _id: 1 },
    { hint: 'byRefundTimes', maxTimeMS: maxListReadMs },
  )
    .limit(maxInBetween + 1)
    .lean()
  if (found.length > maxInBetween)
    throw refuse('VALIDATION_ERROR', {
      param: 'refundedFrom',
      message:
        'Too many intents have refunds before, within and after this range. Narrow the list with from and to.',
    })
  return found.map(({ _id }) => _id)
}
