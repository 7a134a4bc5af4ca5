import type { mongo } from 'mongoose'
import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * Finds one of the caller's endpoints. Throws ENDPOINT_NOT_FOUND if the id is unknown, or if the endpoint has been
 * deleted or belongs to another business, and SANDBOX_MISMATCH if it belongs to the other environment.
 */
export async function findEndpoint(
  deps: Pick<Deps, 'Endpoint'>,
  caller: Caller,
  id: string,
  session?: mongo.ClientSession,
): Promise<Endpoint> {
  const endpoint = await findInBusiness(deps, caller, id, session)
  if (endpoint.sandbox !== caller.sandbox) throw refuse('SANDBOX_MISMATCH')
  return endpoint
}

/** Like `findEndpoint`, but finds the endpoints of both environments. */
export async function findInBusiness(
  { Endpoint: model }: Pick<Deps, 'Endpoint'>,
  { businessId }: Caller,
  id: string,
  session?: mongo.ClientSession,
): Promise<Endpoint> {
  const own = { _id: id, businessId, deletedAt: null }
  const endpoint = await nativeCollection(model).findOne(own, { ...(session && { session }) })
  if (endpoint === null) throw refuse('ENDPOINT_NOT_FOUND', { message: 'There is no webhook endpoint with this id.' })
  return endpoint
}
