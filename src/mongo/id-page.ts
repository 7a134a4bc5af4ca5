import type { Model } from 'mongoose'

/** The part of a list to read: at most `limit` documents, beginning after the document with the id `after`. */
export interface IdSlice {
  limit: number
  after: string | null
}

/** A part of a list that is sorted by id. If there are more items, `next` is the `after` of the next page. */
export interface IdPage<Item> {
  items: Item[]
  next: string | null
}

/**
 * The sort order of a list. Ids that the service generates begin with the time of creation, so `newestFirst` is the
 * order for them. `byName` is the order for ids that people chose.
 */
export const orders = { newestFirst: -1, byName: 1 } as const

/** A search may scan a whole collection if few documents match. MongoDB aborts it before the connection times out. */
const longestSearchMs = 4000

/** Reads one page of the documents that match `where`. New documents never cause an item to be skipped or repeated. */
export async function readIdPage<Doc extends { _id: string }>(
  model: Model<Doc>,
  where: object,
  { limit, after }: IdSlice,
  order: (typeof orders)[keyof typeof orders],
  fields: Record<string, 0 | 1 | boolean> = {},
): Promise<IdPage<Doc>> {
  const rest = after === null ? {} : { _id: order === orders.byName ? { $gt: after } : { $lt: after } }
  const found = await model
    .find({ ...where, ...rest }, fields)
    .sort({ _id: order })
    .limit(limit + 1)
    .maxTimeMS(longestSearchMs)
    .lean<Doc[]>()
  const items = found.slice(0, limit)
  return { items, next: found.length > limit ? (items.at(-1)?._id ?? null) : null }
}

/** Returns a page whose items are converted with `convert`. */
export const mapPage = <From, To>({ items, next }: IdPage<From>, convert: (item: From) => To): IdPage<To> => ({
  items: items.map(convert),
  next,
})

type Given<Filter> = { [Name in keyof Filter]?: Exclude<Filter[Name], undefined> }

/** Returns the filter, or other fields, without those that are undefined. */
export const given = <Filter extends object>(filter: Filter): Given<Filter> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Given<Filter>
