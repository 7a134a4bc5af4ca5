import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { type Refusal, refuse } from '../../errors.ts'
import type { Endpoint } from './endpoint.ts'

/** The caller's own endpoint that is still there, whichever the environment: it belongs to the business. */
export const ownEndpoint = (caller: Caller, id: string) => ({
  _id: id,
  businessId: caller.businessId,
  deletedAt: null,
})

export const noSuchEndpoint = (): Refusal =>
  refuse('ENDPOINT_NOT_FOUND', { message: 'There is no webhook endpoint with this id.' })

/** The caller's own endpoint. ENDPOINT_NOT_FOUND for one that is unknown, deleted or another business's. */
export async function findEndpoint(
  deps: Pick<Deps, 'Endpoint'>,
  caller: Caller,
  id: string,
): Promise<Endpoint> {
  const endpoint = await deps.Endpoint.findOne(ownEndpoint(caller, id)).lean<Endpoint | null>()
  if (endpoint === null) throw noSuchEndpoint()
  return endpoint
}

/** The endpoint if an earlier try of the same request changed it, also when it was deleted by that try or since. */
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
