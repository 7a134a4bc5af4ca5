import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Refusal, refuse } from '../../errors.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * A filter for one of the caller's endpoints that has not been deleted. The filter ignores the caller's environment,
 * because endpoints belong to both environments.
 */
export const ownEndpoint = (caller: Caller, id: string) => ({
  _id: id,
  businessId: caller.businessId,
  deletedAt: null,
})

export const noSuchEndpoint = (): Refusal =>
  refuse('ENDPOINT_NOT_FOUND', { message: 'There is no webhook endpoint with this id.' })

/**
 * Finds one of the caller's endpoints. Throws ENDPOINT_NOT_FOUND if the id is unknown, or if the endpoint has been
 * deleted or belongs to another business.
 */
export async function findEndpoint(deps: Pick<Deps, 'Endpoint'>, caller: Caller, id: string): Promise<Endpoint> {
  const endpoint = await deps.Endpoint.findOne(ownEndpoint(caller, id)).lean<Endpoint | null>()
  if (endpoint === null) throw noSuchEndpoint()
  return endpoint
}

/**
 * Finds the endpoint if an earlier attempt at the same request has already changed it, even if the endpoint has been
 * deleted in the meantime.
 */
export const findChanged = (
  deps: Pick<Deps, 'Endpoint'>,
  caller: Caller,
  id: string,
  effectId: string,
): Promise<Endpoint | null> =>
  deps.Endpoint.findOne({
    _id: id,
    businessId: caller.businessId,
    effects: effectId,
  }).lean<Endpoint | null>()
