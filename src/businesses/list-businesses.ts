import type { Deps } from '../deps.ts'
import { escapeRegex } from '../mongo/escape-regex.ts'
import { given, type IdPage, type IdSlice, mapPage, orders, readIdPage } from '../mongo/id-page.ts'
import type { ApiKey } from './api-key.ts'
import type { Business } from './business.ts'

/** Selects businesses. Omitted fields do not restrict the selection. */
export interface BusinessFilter extends Partial<Pick<Business, 'liveApproved' | 'apiEnabled' | 'suspended'>> {
  /** Part of the name, ignoring case. */
  name?: string
}

/** The number of a business's keys by status, and the last day on which any of them was used. */
export interface KeyTotals {
  keys: Record<ApiKey['status'], number>
  lastUsedDay: string | null
}

export type ListedBusiness = Omit<Business, '_id'> & KeyTotals & { id: string }

/** Returns the businesses that match, newest first. */
export async function listBusinesses(
  deps: Pick<Deps, 'Business' | 'ApiKey'>,
  { name, ...filter }: BusinessFilter,
  slice: IdSlice,
): Promise<IdPage<ListedBusiness>> {
  const named = name === undefined ? {} : { name: { $regex: escapeRegex(name), $options: 'i' } }
  const where = { ...given(filter), ...named }
  const page = await readIdPage(deps.Business, where, slice, orders.newestFirst)
  const totals = await keyTotals(
    deps,
    page.items.map(({ _id }) => _id),
  )
  return mapPage(page, ({ _id: id, ...business }) => ({ id, ...business, ...(totals.get(id) ?? noKeys) }))
}

const noKeys: KeyTotals = { keys: { active: 0, suspended: 0, revoked: 0 }, lastUsedDay: null }

/** Returns the totals of each business that has keys. */
async function keyTotals(deps: Pick<Deps, 'ApiKey'>, businessIds: readonly string[]): Promise<Map<string, KeyTotals>> {
  const totals = new Map<string, KeyTotals>()
  const groups = await deps.ApiKey.aggregate<{
    _id: { businessId: string; status: ApiKey['status'] }
    count: number
    lastUsedDay: string | null
  }>([
    { $match: { businessId: { $in: businessIds } } },
    {
      $group: {
        _id: { businessId: '$businessId', status: '$status' },
        count: { $sum: 1 },
        lastUsedDay: { $max: '$lastUsedDay' },
      },
    },
  ]).exec()
  for (const { _id, count, lastUsedDay } of groups) {
    const { keys, lastUsedDay: before } = totals.get(_id.businessId) ?? noKeys
    const isLater = before === null || (lastUsedDay !== null && lastUsedDay > before)
    totals.set(_id.businessId, {
      keys: { ...keys, [_id.status]: count },
      lastUsedDay: isLater ? lastUsedDay : before,
    })
  }
  return totals
}

/** Returns the totals of one business's keys. */
export const keyTotalsOf = async (deps: Pick<Deps, 'ApiKey'>, businessId: string): Promise<KeyTotals> =>
  (await keyTotals(deps, [businessId])).get(businessId) ?? noKeys
