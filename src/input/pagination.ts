import type { Model } from 'mongoose'
import { readWithinPage } from '../lists/page-bytes.ts'

/** The document fields by which lists are sorted. */
export interface Listed {
  _id: string
  createdAt: Date
}

/** The requested part of a list. `page` starts at 1, and `limit` is the number of items per page. */
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
/** MongoDB aborts a list query after this time, and the error message suggests a filter to narrow the list. */
export const longestReadMs = 3_000
/** No collection contains this many documents, so a page with a larger offset is empty and is not queried. */
export const maxSkip = 2 ** 31

/** Returns the page and limit from a validated query. A limit above 100 is reduced to 100 (SPEC 4.3). */
export function readSlice(query: { page?: string; limit?: string }): Slice {
  return {
    page: Number(query.page ?? 1),
    limit: Math.min(Number(query.limit ?? defaultLimit), maxLimit),
  }
}

/** A filter, and an index that contains all fields of the filter, so that MongoDB reads only matching documents. */
export interface Selection {
  where: Record<string, unknown>
  index: string
}

/** Selects the documents of a list. If `fields` is missing, all their fields are read. */
export interface Listing extends Selection {
  fields?: Record<string, unknown>
  /** The selection to use for counting, if a different index makes counting faster. */
  counted?: Selection
}

/**
 * Reads one page, sorted from newest to oldest and then by id, and counts all matching documents. A page past the end
 * is empty.
 */
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
 * Builds a page. If `found` contains one item more than fits on the page, another page follows. `total` cannot be used
 * to determine this, because it was counted at a different time.
 */
export const pageOf = <Item>({ page, limit }: Slice, found: Item[], total: number): Page<Item> => ({
  items: found.slice(0, limit),
  page,
  limit,
  total,
  hasMore: found.length > limit,
})
