import { type Model, mongo } from 'mongoose'
import { maxPageBytes, PageTooLarge } from '../limits/capacity.ts'
import type { Listed } from '../mongo/walk.ts'
import { readInSlices } from '../platform/in-slices.ts'

/**
 * Reads the documents of a page one by one. Throws PageTooLarge as soon as the page is too large, because decoding 100
 * intents with 1 000 refunds each takes half a second.
 */
export async function readWithinPage<Doc extends object>(cursor: mongo.FindCursor<Doc>): Promise<Doc[]> {
  const found: Doc[] = []
  let bytes = 0
  await readInSlices(cursor, (doc) => {
    found.push(doc)
    bytes += mongo.BSON.calculateObjectSize(doc)
    if (bytes > maxPageBytes) throw new PageTooLarge()
  })
  return found
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
  { where, index, fields = {}, counted = { where, index } }: Listing,
  slice: Slice,
): Promise<Page<Item>> {
  const { page, limit } = slice
  const skip = (page - 1) * limit
  const [found, total] = await Promise.all([
    skip > maxSkip
      ? []
      : (readWithinPage(
          model.collection.find(where, {
            projection: fields,
            hint: index,
            sort: { createdAt: -1, _id: -1 },
            skip,
            limit: limit + 1,
            maxTimeMS: longestReadMs,
          }),
        ) as Promise<Item[]>),
    model.countDocuments(counted.where, { hint: counted.index, maxTimeMS: longestReadMs }),
  ])
  return pageOf(slice, found, total)
}

/**
 * Reads one page like `readPage`, for an index that is not in the order of the list but contains the creation time and
 * the id. MongoDB sorts the keys of all matching documents in memory, and reads only the documents of the page.
 */
export async function readSortedPage<Item extends Listed>(
  model: Model<Item>,
  { where, index, fields }: Required<Omit<Listing, 'counted'>>,
  slice: Slice,
): Promise<Page<Item>> {
  const { page, limit } = slice
  const skip = (page - 1) * limit
  const options = { hint: index, maxTimeMS: longestReadMs }
  const [keys, total] = await Promise.all([
    skip > maxSkip
      ? []
      : model
          .find(where, { createdAt: 1 }, options)
          .sort({ createdAt: -1, _id: -1 })
          .skip(skip)
          .limit(limit + 1)
          .lean<Listed[]>(),
    model.countDocuments(where, options),
  ])
  const { items, ...rest } = pageOf(slice, keys, total)
  return { ...rest, items: await readInOrder(model, { where, fields }, items) }
}

/** Reads the documents of these keys in the same order. Leaves out those that no longer match the filter. */
async function readInOrder<Item extends Listed>(
  model: Model<Item>,
  { where, fields }: Required<Pick<Listing, 'where' | 'fields'>>,
  keys: readonly Listed[],
): Promise<Item[]> {
  if (keys.length === 0) return []
  const $in = keys.map(({ _id }) => _id)
  const options = { projection: fields, hint: '_id_', maxTimeMS: longestReadMs }
  const found = await readWithinPage(model.collection.find({ $and: [where, { _id: { $in } }] }, options))
  const byId = new Map((found as unknown as Item[]).map((item) => [item._id, item]))
  return $in.flatMap((id) => byId.get(id) ?? [])
}

/** Presents each item of a page. */
export const presentPage = <Item, Presented>(
  { items, ...page }: Page<Item>,
  present: (item: Item) => Presented,
): Page<Presented> => ({ items: items.map((item) => present(item)), ...page })

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
