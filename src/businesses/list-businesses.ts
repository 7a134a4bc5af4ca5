import { escapeRegex } from '../mongo/escape-regex.ts'
import { type IdPageRequest, mapIdPage, readPageById } from '../mongo/id-page.ts'
import type { Deps } from '../platform/deps.ts'
import { omitUndefined } from '../platform/without-undefined.ts'
import type { ApiKey } from './api-key.ts'
import type { Business } from './business.ts'

export interface BusinessFilter extends Partial<Pick<Business, 'liveApproved' | 'apiEnabled' | 'suspended'>> {
  name?: string
  isLiveRequested?: true
}

export type KeyTotals = { keys: Record<ApiKey['status'], number>; lastUsedDay: string | null }

export async function listBusinesses(
  deps: Pick<Deps, 'Business' | 'ApiKey'>,
  { name, isLiveRequested, ...filter }: BusinessFilter,
  slice: IdPageRequest,
) {
  const requested = isLiveRequested && { liveRequest: { $exists: true } }
  const where = { ...omitUndefined(filter), ...requested, ...(name === undefined ? {} : named(name)) }
  const page = await readPageById(deps.Business, where, slice)
  const ids = page.items.map(({ _id }) => _id)
  const totals = await keyTotals(deps, ids)
  return mapIdPage(page, ({ _id: id, ...business }) => ({ id, ...business, ...(totals.get(id) ?? noKeys) }))
}

export type ListedBusiness = Awaited<ReturnType<typeof listBusinesses>>['items'][number]

const named = (part: string) => ({ name: { $regex: escapeRegex(part), $options: 'i' } })

const noKeys: KeyTotals = { keys: { active: 0, suspended: 0, revoked: 0 }, lastUsedDay: null }

async function keyTotals(deps: Pick<Deps, 'ApiKey'>, businessIds: readonly string[]) {
  type Group = KeyTotals['keys'] & Pick<KeyTotals, 'lastUsedDay'> & { _id: string }
  const withStatus = (status: ApiKey['status']) => ({ $sum: { $cond: [{ $eq: ['$status', status] }, 1, 0] } })
  const [active, suspended, revoked] = (['active', 'suspended', 'revoked'] as const).map(withStatus)
  const groups = await deps.ApiKey.aggregate<Group>([
    { $match: { businessId: { $in: businessIds } } },
    { $group: { _id: '$businessId', lastUsedDay: { $max: '$lastUsedDay' }, active, suspended, revoked } },
  ]).exec()
  return new Map(groups.map(({ _id, lastUsedDay, ...keys }) => [_id, { keys, lastUsedDay }]))
}

export const countKeys = async (deps: Pick<Deps, 'ApiKey'>, businessId: string): Promise<KeyTotals> =>
  (await keyTotals(deps, [businessId])).get(businessId) ?? noKeys

export const maxNameMatches = 30

type Reads = Pick<Deps, 'Business'>

export const lookUpBusiness = (deps: Reads, id: string): Promise<Business | null> =>
  deps.Business.findOne({ _id: id }).lean<Business | null>()

export const lookUpBusinesses = (deps: Reads, ids: readonly string[]): Promise<Business[]> =>
  deps.Business.find({ _id: { $in: ids } }).lean<Business[]>()

export const findBusinessesByName = (deps: Reads, part: string): Promise<Business[]> =>
  deps.Business.find(named(part)).sort({ name: 1 }).limit(maxNameMatches).maxTimeMS(2000).lean<Business[]>()
