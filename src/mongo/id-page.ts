import type { Model } from 'mongoose'
import { readTimeoutMs } from './connect.ts'

export interface IdPageRequest {
  limit: number
  after: string | null
}

/** `next` is the `after` of the next page. Null on the last page. */
export interface IdPage<Item> {
  items: Item[]
  next: string | null
}

/** Sorts newest first or, with `byName`, by ascending id. */
export async function readPageById<Doc extends { _id: string }>(
  model: Model<Doc>,
  where: object,
  { limit, after }: IdPageRequest,
  { byName = false, fields = {} }: { byName?: boolean; fields?: Record<string, 0 | 1> } = {},
): Promise<IdPage<Doc>> {
  const rest = after !== null && { _id: byName ? { $gt: after } : { $lt: after } }
  const found = await model
    .find({ ...where, ...rest }, fields)
    .sort({ _id: byName ? 1 : -1 })
    .limit(limit + 1)
    .maxTimeMS(readTimeoutMs)
    .lean<Doc[]>()
  const items = found.slice(0, limit)
  return { items, next: found.length > limit ? (items.at(-1)?._id ?? null) : null }
}

export const mapIdPage = <From, To>(
  { items, next }: IdPage<From>,
  convert: (item: From) => To,
): IdPage<To> => ({ items: items.map(convert), next })
