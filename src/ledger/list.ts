import type { mongo } from 'mongoose'
import { currencyCode } from '../../schemas/currency.ts'
import type { EntryType, ListEntriesQuery, ListRefundsQuery } from '../../schemas/list-entries.ts'
import type { ChainOwner } from '../chains/append.ts'
import type { Deps } from '../deps.ts'
import { longestReadMs, type Page, readSlice, type Slice } from '../input/pagination.ts'
import { readSpan, type Span } from '../input/span.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { LedgerEntry } from './entry.ts'
import { findPositions, numberedBy } from './positions.ts'

/** The entries to list. The span limits `bookedAt`. If `type` is null, entries of all types are listed. */
interface EntrySearch extends Slice, Span {
  type: EntryType | null
}

export const parseEntrySearch = (query: ListEntriesQuery): EntrySearch => ({
  type: query.type ?? null,
  ...readSpan(query),
  ...readSlice(query),
})

export const parseRefundSearch = (query: ListRefundsQuery): EntrySearch => ({
  ...parseEntrySearch(query),
  type: 'refund',
})

type Reads = Pick<Deps, 'LedgerEntry'>

/**
 * Returns one page of an owner's entries, newest first. The entries are numbered by position, so a page is a range of
 * numbers, and the total is the difference of two numbers. A page far down a long list costs no more than the first.
 */
export async function listEntries(
  deps: Reads,
  { businessId, sandbox }: ChainOwner,
  search: EntrySearch,
): Promise<Page<LedgerEntry>> {
  const owner = { businessId, sandbox }
  const { page, limit, type } = search
  const { first, last } = await findPositions(deps, owner, type, search)
  const newest = last - (page - 1) * limit
  const oldest = Math.max(first, newest - limit + 1)
  const total = Math.max(0, last - first + 1)
  if (newest < first) return { items: [], page, limit, total, hasMore: false }
  const { where, field, index } = numberedBy(type)
  const items = await nativeCollection(deps.LedgerEntry)
    .find({ ...owner, ...where, [field]: { $gte: oldest, $lte: newest } } as mongo.Filter<LedgerEntry>, {
      sort: { [field]: -1 },
      hint: index,
      maxTimeMS: longestReadMs,
    })
    .toArray()
  return { items, page, limit, total, hasMore: oldest > first }
}

/** Returns an entry as merchants see it. */
export const presentEntry = ({
  _id: id,
  position: number,
  type,
  amount,
  after,
  referenceNumber,
  merchantReference,
  refundId,
  payoutReference,
  day,
  bookedAt,
}: LedgerEntry) => ({
  id,
  number,
  type,
  amount,
  balance: after.balance,
  referenceNumber: referenceNumber ?? null,
  merchantReference: merchantReference ?? null,
  refundId: refundId ?? null,
  payoutReference: payoutReference ?? null,
  day,
  bookedAt,
})

/** Returns the refund that an entry books. The wallet has confirmed every refund in the ledger. */
export const presentListedRefund = ({
  refundId: id,
  referenceNumber,
  merchantReference,
  amount,
  reason,
  returnedFees,
  startedAt: createdAt,
  occurredAt: refundedAt,
  bookedAt,
}: LedgerEntry) => ({
  id,
  referenceNumber,
  merchantReference: merchantReference ?? null,
  amount: -amount,
  currency: currencyCode,
  reason: reason ?? null,
  status: 'SUCCEEDED',
  returnedFees,
  createdAt,
  refundedAt,
  bookedAt,
})
