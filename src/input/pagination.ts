import type { Model } from 'mongoose'
import { readWithinPage } from '../lists/page-bytes.ts'

/** The fields of a document by which lists are sorted. */
export interface Listed {
  _id: string
  createdAt: Date
}

/** The requested part of a list: the page number, from 1, and the number of items per page. */
export interface Slice {
  page: number
  limit: number
}

/** One page of a list (SPEC 4.3). */
export interface Page<Item> extends Slice {
  items: Item[]
  total: number
  hasMore: boolean
}

const defaultLimit = 20
const maxLimit = 100
/** MongoDB aborts each list read after this time. The error message then asks the caller to narrow the list. */
export const longestReadMs = 3_000
/** No collection has this many documents. A page after a larger skip is empty, without a query. */
export const maxSkip = 2 ** 31

/** Returns the page and limit of a validated query. A limit above 100 becomes 100 (SPEC 4.3). */
export function readSlice(query: { page?: string; limit?: string }): Slice {
  return {
    page: Number(query.page ?? 1),
    limit: Math.min(Number(query.limit ?? defaultLimit), maxLimit),
  }
}

/** A filter and an index that contains all its fields, so that MongoDB reads no document that does not match. */
export interface Selection {
  where: Record<string, unknown>
  index: string
}

/** The documents of a list, with all or some of their fields. */
export interface Listing extends Selection {
  fields?: Record<string, unknown>
  /** The selection to count by, if another index counts faster. */
  counted?: Selection
}

/** Reads one page, newest first and then by id, and counts all matching documents. A page past the end has no items. */
export async function readPage<Item, Doc extends Item = Item>(
  model: Model<Doc>,
  { where, index, fields, counted = { where, index } }: Listing,
  slice: Slice,
): Promise<Page<Item>> {
  const { page, limit } = slice
  const skip = (page - 1) * limit
  const [found, total] = await Promise.all([
    skip > maxSkip
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

/**
 * Builds a page. `found` has one item more than the page if another page follows. The total cannot show this, because
 * it was counted at a different time.
 */
export const pageOf = <Item>({ page, limit }: Slice, found: Item[], total: number): Page<Item> => ({
  items: found.slice(0, limit),
  page,
  limit,
  total,
  hasMore: found.length > limit,
})
