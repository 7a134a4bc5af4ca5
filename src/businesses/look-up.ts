import type { Deps } from '../deps.ts'
import { escapeRegex } from '../mongo/escape-regex.ts'
import type { Business } from './business.ts'

/** More than a person looks through; a longer part of the name finds the rest. */
export const maxBusinesses = 30

type Reads = Pick<Deps, 'Business'>

export const lookUpBusiness = (deps: Reads, id: string): Promise<Business | null> =>
  deps.Business.findOne({ _id: id }).lean<Business | null>()

export const lookUpBusinesses = (deps: Reads, ids: readonly string[]): Promise<Business[]> =>
  deps.Business.find({ _id: { $in: ids } }).lean<Business[]>()

/** Businesses with this text in their name, whatever its case, by name. The keys of the index `name` are looked through. */
export const findBusinessesByName = (deps: Reads, part: string): Promise<Business[]> =>
  deps.Business.find({ name: { $regex: escapeRegex(part), $options: 'i' } })
    .sort({ name: 1 })
    .limit(maxBusinesses)
    .maxTimeMS(2000)
    .lean<Business[]>()
