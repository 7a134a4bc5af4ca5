import type { Deps } from '../../deps.ts'
import { given, type IdPage, type IdSlice, mapPage, orders, readIdPage } from '../../mongo/id-page.ts'
import { standing } from './endpoint.ts'
import { type EndpointFacts, endpointFacts, factFields } from './endpoint-facts.ts'

/** Selects endpoints. Omitted fields do not restrict the selection. */
export interface EndpointFilter {
  businessId?: string
  active?: boolean
  /** Whether the last attempt failed. */
  failing?: boolean
  /** If true, selects deleted endpoints instead of existing ones. */
  deleted?: boolean
}

/** Returns the endpoints that match, newest first. */
export async function listEndpoints(
  deps: Pick<Deps, 'Endpoint' | 'secrets' | 'now'>,
  { failing, deleted, ...filter }: EndpointFilter,
  slice: IdSlice,
): Promise<IdPage<EndpointFacts>> {
  const where = {
    ...given(filter),
    ...(deleted === true ? { deletedAt: { $type: 'date' } } : standing),
    ...(failing === undefined ? {} : { 'health.failuresInRow': failing ? { $gt: 0 } : 0 }),
  }
  const page = await readIdPage(deps.Endpoint, where, slice, orders.newestFirst, factFields)
  return mapPage(page, (endpoint) => endpointFacts(deps, endpoint))
}
