import { type Model, mongo } from 'mongoose'
import { maxPageBytes, PageTooLarge } from '../limits/capacity.ts'
import type { DatedDocument } from '../mongo/walk.ts'
import { readInSlices } from '../platform/in-slices.ts'

/** Decoding 100 intents with 1,000 refunds each takes half a second. */
export async function readPageDocuments<Doc extends object>(cursor: mongo.FindCursor<Doc>): Promise<Doc[]> {
  const found: Doc[] = []
  let bytes = 0
  await readInSlices(cursor, (doc) => {
    found.push(doc)
    bytes += mongo.BSON.calculateObjectSize(doc)
    if (bytes > maxPageBytes) throw new PageTooLarge()
  })
  return found
}

export interface PageRequest {
  page: number
  limit: number
}

/** The page format of SPEC 4.3. */
export interface Page<Item> extends PageRequest {
  items: Item[]
  total: number
  hasMore: boolean
}

const defaultLimit = 20
const maxLimit = 100
export const maxListReadMs = 3_000
/** A page with a larger offset is returned empty, without a query. */
export const maxSkip = 2 ** 31

export function parsePageRequest(query: { page?: string; limit?: string }): PageRequest {
  return {
    page: Number(query.page ?? 1),
    limit: Math.min(Number(query.limit ?? defaultLimit), maxLimit),
  }
}

/** The index must contain all fields of `where`. */
export interface ListSelection {
  where: Record<string, unknown>
  index: string
}

interface Listing extends ListSelection {
  fields?: Record<string, unknown>
  sort?: Record<string, -1>
  counted?: ListSelection
}

/** By default, sorts newest first, then by id. A page past the end is empty. */
export async function readPage<Item, Doc extends Item = Item>(
  model: Model<Doc>,
  { where, index, fields = {}, sort = { createdAt: -1, _id: -1 }, counted = { where, index } }: Listing,
  slice: PageRequest,
): Promise<Page<Item>> {
  const { page, limit } = slice
  const skip = (page - 1) * limit
  const range = { sort, skip, limit: limit + 1 }
  const options = { projection: fields, hint: index, ...range, maxTimeMS: maxListReadMs }
  const [found, total] = await Promise.all([
    skip > maxSkip ? [] : (readPageDocuments(model.collection.find(where, options)) as Promise<Item[]>),
    model.countDocuments(counted.where, { hint: counted.index, maxTimeMS: maxListReadMs }),
  ])
  return cutPage(slice, found, total)
}

/** MongoDB sorts index keys in memory, then reads only the page's documents. */
export async function readSortedPage<Item extends DatedDocument>(
  model: Model<Item>,
  { where, index, fields }: ListSelection & Required<Pick<Listing, 'fields'>>,
  slice: PageRequest,
): Promise<Page<Item>> {
  const keysOnly = { where, index, fields: { createdAt: 1 } }
  const { items: keys, ...page } = await readPage<DatedDocument>(model as never, keysOnly, slice)
  if (keys.length === 0) return { items: [], ...page }
  const $in = keys.map(({ _id }) => _id)
  const options = { projection: fields, hint: '_id_', maxTimeMS: maxListReadMs }
  const found = await readPageDocuments(model.collection.find({ $and: [where, { _id: { $in } }] }, options))
  const byId = new Map((found as unknown as Item[]).map((item) => [item._id, item]))
  return { items: $in.flatMap((id) => byId.get(id) ?? []), ...page }
}

export const presentPage = <Item, Presented>(
  { items, ...page }: Page<Item>,
  present: (item: Item) => Presented,
): Page<Presented> => ({ items: items.map((item) => present(item)), ...page })

/** `found` has one more item than the page if another page follows. */
export const cutPage = <Item>({ page, limit }: PageRequest, found: Item[], total: number): Page<Item> => ({
  items: found.slice(0, limit),
  page,
  limit,
  total,
  hasMore: found.length > limit,
})
