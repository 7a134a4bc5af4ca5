import type { Model } from 'mongoose'

/** What every document has that is listed. */
export interface Listed {
  _id: string
  createdAt: Date
}

/** Which part of a list is asked for: 1-indexed page, and items a page. */
export interface Slice {
  page: number
  limit: number
}

/** One page of a list, the same for all of them (SPEC 4.3). */
export interface Page<Item> extends Slice {
  items: Item[]
  total: number
  hasMore: boolean
}

const defaultLimit = 20
const highestLimit = 100
/** Further in than any collection reaches; a larger skip is answered without asking for it. */
export const furthestSkip = 2 ** 31

/** Page and limit out of checked query text; a limit above 100 is 100 (SPEC 4.3). */
export function readSlice(query: { page?: string; limit?: string }): Slice {
  return {
    page: Number(query.page ?? 1),
    limit: Math.min(Number(query.limit ?? defaultLimit), highestLimit),
  }
}

/** Where a list wants something else than whole documents, counted by its own filter. */
export interface PageWishes {
  fields?: Record<string, unknown>
  count?: () => Promise<number>
  /** Where it may have to look through very many. */
  maxTimeMs?: number
}

/** Reads one page and counts all that match. Past the end: no items. */
export async function readPage<Item, Doc extends Item = Item>(
  model: Model<Doc>,
  filter: Record<string, unknown>,
  sort: Record<string, 1 | -1>,
  slice: Slice,
  wishes?: PageWishes,
): Promise<Page<Item>> {
  const { page, limit } = slice
  const skip = (page - 1) * limit
  const bound = wishes?.maxTimeMs === undefined ? {} : { maxTimeMS: wishes.maxTimeMs }
  const [found, total] = await Promise.all([
    skip > furthestSkip
      ? []
      : model
          .find(filter, wishes?.fields, bound)
          .sort(sort)
          .skip(skip)
          .limit(limit + 1)
          .lean<Item[]>(),
    wishes?.count?.() ?? model.countDocuments(filter, bound),
  ])
  return pageOf(slice, found, total)
}

/** The page, of one item more than it holds: that one says whether more follow, for the total was counted at another moment. */
export const pageOf = <Item>({ page, limit }: Slice, found: Item[], total: number): Page<Item> => ({
  items: found.slice(0, limit),
  page,
  limit,
  total,
  hasMore: found.length > limit,
})
