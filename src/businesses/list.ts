import type { Deps } from '../deps.ts'
import { escapeRegex } from '../mongo/escape-regex.ts'
import type { Business } from './business.ts'

/** The states by which staff can filter the list of businesses. */
export const businessStates = {
  live: { liveApproved: true },
  'test-only': { liveApproved: false },
  suspended: { suspended: true },
  disabled: { apiEnabled: false },
} as const satisfies Record<string, Partial<Business>>
export type BusinessState = keyof typeof businessStates

export interface BusinessFilter {
  /** A part of the name, ignoring case. An empty part does not restrict the list. */
  part: string
  state: BusinessState | null
  /** The id of the last business of the previous page. */
  after: string | null
}

const pageSize = 50

/**
 * Returns a page of the businesses, sorted by name. `next` is the `after` value for the next page, or null on the last
 * page. If the business `after` does not exist, returns the first page.
 */
export async function listBusinesses(
  deps: Pick<Deps, 'Business'>,
  { part, state, after }: BusinessFilter,
): Promise<{ businesses: Business[]; next: string | null }> {
  const last =
    after === null ? null : await deps.Business.findOne({ _id: after }, { name: 1 }).lean<Business>()
  const conditions = [
    part === '' ? {} : { name: { $regex: escapeRegex(part), $options: 'i' } },
    state === null ? {} : businessStates[state],
    last === null ? {} : { $or: [{ name: { $gt: last.name } }, { name: last.name, _id: { $gt: last._id } }] },
  ]
  const found = await deps.Business.find({ $and: conditions })
    .sort({ name: 1, _id: 1 })
    .limit(pageSize + 1)
    .lean<Business[]>()
  const businesses = found.slice(0, pageSize)
  return { businesses, next: found.length > pageSize ? (businesses.at(-1)?._id ?? null) : null }
}
