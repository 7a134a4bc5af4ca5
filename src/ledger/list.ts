import type { mongo } from 'mongoose'
import { currencyCode } from '../../schemas/currency.ts'
import type { LedgerEntryType, ListEntriesQuery, ListRefundsQuery } from '../../schemas/ledger.ts'
import type { ChainOwner } from '../chains/append.ts'
import { readSpan, type TimeSpan } from '../input/span.ts'
import { maxListReadMs, type Page, type PageRequest, parsePageRequest } from '../lists/pagination.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Deps } from '../platform/deps.ts'
import type { LedgerEntry } from './entry.ts'

interface EntrySearch extends PageRequest, TimeSpan {
  type: LedgerEntryType | null
}

export const parseLedgerSearch = (query: ListEntriesQuery): EntrySearch => ({
  type: query.type ?? null,
  ...readSpan(query),
  ...parsePageRequest(query),
})

export const parseRefundSearch = (query: ListRefundsQuery): EntrySearch => ({
  ...parseLedgerSearch(query),
  type: 'refund',
})

type Reads = Pick<Deps, 'LedgerEntry'>

/** Positions have no gaps, so later pages are as fast as the first. */
export async function listEntries(
  deps: Reads,
  { businessId, sandbox }: ChainOwner,
  search: EntrySearch,
): Promise<Page<LedgerEntry>> {
  const owner = { businessId, sandbox }
  const { page, limit, type } = search
  const { first, last } = await findPositionRange(deps, owner, type, search)
  const newest = last - (page - 1) * limit
  const oldest = Math.max(first, newest - limit + 1)
  const total = Math.max(0, last - first + 1)
  if (newest < first) return { items: [], page, limit, total, hasMore: false }
  const { where, field, index } = getPositionIndex(type)
  const filter = { ...owner, ...where, [field]: { $gte: oldest, $lte: newest } } as mongo.Filter<LedgerEntry>
  const options = { sort: { [field]: -1 }, hint: index, maxTimeMS: maxListReadMs } as const
  const items = await rawCollection(deps.LedgerEntry).find(filter, options).toArray()
  return { items, page, limit, total, hasMore: oldest > first }
}

export type ListedEntry = Omit<LedgerEntry, 'after'> & { after: Pick<LedgerEntry['after'], 'balance'> }

export function presentLedgerEntry(entry: ListedEntry) {
  const { _id: id, position: number, type, amount, after, day, bookedAt } = entry
  const { referenceNumber = null, merchantReference = null, refundId = null, payoutReference = null } = entry
  const references = { referenceNumber, merchantReference, refundId, payoutReference }
  return { id, number, type, amount, balance: after.balance, ...references, day, bookedAt }
}

/** The ledger contains only refunds that the wallet has confirmed. */
export function presentListedRefund(entry: LedgerEntry) {
  const { refundId: id, referenceNumber, merchantReference = null, reason = null, returnedFees } = entry
  const { startedAt: createdAt, occurredAt: refundedAt, bookedAt } = entry
  const money = { amount: -entry.amount, currency: currencyCode, reason, status: 'SUCCEEDED', returnedFees }
  return { id, referenceNumber, merchantReference, ...money, createdAt, refundedAt, bookedAt }
}

/** Both ends are inclusive. The range is empty if `last` < `first`. */
export interface PositionRange {
  first: number
  last: number
}

export const getPositionIndex = (type: LedgerEntryType | null) =>
  type === null
    ? ({ where: {}, field: 'position', index: 'byPosition' } as const)
    : ({ where: { type }, field: 'typePosition', index: 'byType' } as const)

/** `afterPosition` counts entries of any type. */
export async function findPositionRange(
  deps: Reads,
  { businessId, sandbox }: ChainOwner,
  type: LedgerEntryType | null,
  { from, to }: TimeSpan,
  afterPosition = 0,
): Promise<PositionRange> {
  const owner = { businessId, sandbox }
  const [kept, before, skipped, last] = await Promise.all([
    firstKept(deps, owner, type),
    from === null ? 0 : countUpToLast(deps, { ...owner, bookedAt: { $lt: from } }, type, byTime),
    afterPosition === 0
      ? 0
      : countUpToLast(deps, { ...owner, position: { $lte: afterPosition } }, type, byPosition),
    countUpToLast(deps, to === null ? owner : { ...owner, bookedAt: { $lte: to } }, type, byTime),
  ])
  return { first: Math.min(Math.max(kept, before + 1, skipped + 1), last + 1), last }
}

interface Order {
  hint: string
  sort: Record<string, -1>
}
const byTime: Order = { hint: 'byTime', sort: { bookedAt: -1, number: -1 } }
const byPosition: Order = { hint: 'byPosition', sort: { position: -1 } }

/** The last entry contains the count, so only one document is read. */
async function countUpToLast(
  { LedgerEntry }: Reads,
  where: mongo.Filter<LedgerEntry>,
  type: LedgerEntryType | null,
  order: Order,
): Promise<number> {
  const projection = { 'after.entries': 1, 'after.byType': 1 }
  const options = { ...order, projection, maxTimeMS: maxListReadMs }
  const last = await rawCollection(LedgerEntry).findOne(where, options)
  if (last === null) return 0
  return type === null ? last.after.entries : last.after.byType[type]
}

async function firstKept({ LedgerEntry }: Reads, owner: ChainOwner, type: LedgerEntryType | null) {
  const { where, field, index } = getPositionIndex(type)
  const first = await rawCollection(LedgerEntry).findOne(
    { ...owner, ...where, [field]: { $gte: 1 } } as mongo.Filter<LedgerEntry>,
    { sort: { [field]: 1 }, hint: index, projection: { [field]: 1 }, maxTimeMS: maxListReadMs },
  )
  return first?.[field] ?? Number.POSITIVE_INFINITY
}
