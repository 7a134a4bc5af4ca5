import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Refusal, refuse } from '../../errors.ts'
import type { Endpoint } from './endpoint.ts'

/** A filter for an endpoint of the caller's business and environment that has not been deleted. */
export const ownEndpoint = ({ businessId, sandbox }: Caller, id: string) => ({
  _id: id,
  businessId,
  sandbox,
  deletedAt: null,
})

/** Returns the error for an id that `ownEndpoint` does not find. */
export async function notOwn(
  { Endpoint }: Pick<Deps, 'Endpoint'>,
  { businessId }: Caller,
  id: string,
): Promise<Refusal> {
  return (await Endpoint.exists({ _id: id, businessId, deletedAt: null })) === null
    ? refuse('ENDPOINT_NOT_FOUND', { message: 'There is no webhook endpoint with this id.' })
    : refuse('SANDBOX_MISMATCH')
}

/**
 * Finds one of the caller's endpoints. Throws ENDPOINT_NOT_FOUND if the id is unknown, or if the endpoint has been
 * deleted or belongs to another business, and SANDBOX_MISMATCH if it belongs to the other environment.
 */
export async function findEndpoint(deps: Pick<Deps, 'Endpoint'>, caller: Caller, id: string): Promise<Endpoint> {
  const endpoint = await deps.Endpoint.findOne(ownEndpoint(caller, id)).lean<Endpoint | null>()
  if (endpoint === null) throw await notOwn(deps, caller, id)
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
