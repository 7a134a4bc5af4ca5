import type { Deps } from '../deps.ts'
import { escapeRegex } from '../mongo/escape-regex.ts'
import type { Business } from './business.ts'

/**
 * The maximum number of search results. If a search has more results, staff can enter a longer part of the name to
 * narrow it down.
 */
export const maxBusinesses = 30

type Reads = Pick<Deps, 'Business'>

export const lookUpBusiness = (deps: Reads, id: string): Promise<Business | null> =>
  deps.Business.findOne({ _id: id }).lean<Business | null>()

export const lookUpBusinesses = (deps: Reads, ids: readonly string[]): Promise<Business[]> =>
  deps.Business.find({ _id: { $in: ids } }).lean<Business[]>()

/**
 * Returns the businesses whose names contain this text, ignoring case, sorted by name. MongoDB scans the keys of the
 * index `name`.
 */
export const findBusinessesByName = (deps: Reads, part: string): Promise<Business[]> =>
  deps.Business.find({ name: { $regex: escapeRegex(part), $options: 'i' } })
    .sort({ name: 1 })
    .limit(maxBusinesses)
    .maxTimeMS(2000)
    .lean<Business[]>()
