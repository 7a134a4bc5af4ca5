import type { Model } from 'mongoose'
import { readWithinPage } from '../lists/page-bytes.ts'

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
/** MongoDB aborts each read of a list after this. The error message says to narrow the list. */
export const longestReadMs = 3_000
/** Further in than any collection reaches; a larger skip is answered without asking for it. */
export const furthestSkip = 2 ** 31

/** Page and limit out of checked query text; a limit above 100 is 100 (SPEC 4.3). */
export function readSlice(query: { page?: string; limit?: string }): Slice {
  return {
    page: Number(query.page ?? 1),
    limit: Math.min(Number(query.limit ?? defaultLimit), highestLimit),
  }
}

/** A filter and an index that contains all its fields, so that MongoDB reads no document that does not match. */
export interface Selection {
  where: Record<string, unknown>
  index: string
}

/** What a list shows: the documents of a selection, whole or some of their fields. */
export interface Listing extends Selection {
  fields?: Record<string, unknown>
  /** The selection to count by, if another index counts faster. */
  counted?: Selection
}

/** Reads one page, newest first, ties by id, and counts all that match. Past the end: no items. */
export async function readPage<Item, Doc extends Item = Item>(
  model: Model<Doc>,
  { where, index, fields, counted = { where, index } }: Listing,
  slice: Slice,
): Promise<Page<Item>> {
  const { page, limit } = slice
  const skip = (page - 1) * limit
  const [found, total] = await Promise.all([
    skip > furthestSkip
      ? []
      : (readWithinPage(
          model
            .find(where, fields, { hint: index, maxTimeMS: longestReadMs })
            .sort({ createdAt: -1, _id: -1 })
            .skip(skip)
            .limit(limit + 1)
            .lean()
            .cursor(),
        ) as Promise<Item[]>),
    model.countDocuments(counted.where, { hint: counted.index, maxTimeMS: longestReadMs }),
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
