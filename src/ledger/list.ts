import type { mongo } from 'mongoose'
import type { EntryType, ListEntriesQuery, ListRefundsQuery } from '../../schemas/list-entries.ts'
import type { ChainOwner } from '../chains/append.ts'
import type { Deps } from '../deps.ts'
import { longestReadMs, type Page, readSlice, type Slice } from '../input/pagination.ts'
import { readSpan, type Span } from '../input/span.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { LedgerEntry } from './entry.ts'

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
  const { first, last } = await positionsIn(deps, owner, search)
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

/** Returns the field that numbers the entries of a type, and the index on it. */
const numberedBy = (type: EntryType | null) =>
  type === null
    ? ({ where: {}, field: 'position', index: 'byPosition' } as const)
    : ({ where: { type }, field: 'typePosition', index: 'byType' } as const)

/**
 * Returns the positions of the first and the last entry in the span. The clean-up may have removed the oldest entries,
 * so the first position is that of the oldest entry that is left. `last` is less than `first` if there are no entries.
 */
async function positionsIn(
  deps: Reads,
  owner: ChainOwner,
  { from, to, type }: EntrySearch,
): Promise<{ first: number; last: number }> {
  const [left, before, last] = await Promise.all([
    firstLeft(deps, owner, type),
    from === null ? 0 : countWhile(deps, owner, { $lt: from }, type),
    countWhile(deps, owner, to === null ? {} : { $lte: to }, type),
  ])
  return { first: Math.max(left, before + 1), last }
}

/**
 * Returns the number of entries that had been booked by the end of a period, including those that the clean-up has
 * removed since. Each entry and closing marker contains this number, so only the last one is read.
 */
async function countWhile(
  { LedgerEntry: model }: Reads,
  owner: ChainOwner,
  bookedAt: { $lt?: Date; $lte?: Date },
  type: EntryType | null,
): Promise<number> {
  const where = Object.keys(bookedAt).length === 0 ? owner : { ...owner, bookedAt }
  const last = await nativeCollection(model).findOne(where as mongo.Filter<LedgerEntry>, {
    sort: { bookedAt: -1, number: -1 },
    hint: 'byTime',
    projection: { 'after.entries': 1, 'after.byType': 1 },
    maxTimeMS: longestReadMs,
  })
  if (last === null) return 0
  return type === null ? last.after.entries : last.after.byType[type]
}

async function firstLeft(
  { LedgerEntry: model }: Reads,
  owner: ChainOwner,
  type: EntryType | null,
): Promise<number> {
  const { where, field, index } = numberedBy(type)
  const first = await nativeCollection(model).findOne(
    { ...owner, ...where, [field]: { $gte: 1 } } as mongo.Filter<LedgerEntry>,
    { sort: { [field]: 1 }, hint: index, projection: { [field]: 1 }, maxTimeMS: longestReadMs },
  )
  return first?.[field] ?? 1
}
