import type { EndpointDocument } from '../../invariants/documents.ts'
import type { Evidence } from './read-folder.ts'
import { endpointIn } from './responses.ts'

/**
 * The endpoints that no merchant updated or deleted. For all others, it is unknown which events were due when. Requests
 * of strangers change nothing.
 */
export function steadyEndpoints({ calls, dump }: Pick<Evidence, 'calls' | 'dump'>): EndpointDocument[] {
  const changed = new Set(
    calls
      .filter(({ what, actor }) => ['endpoint.update', 'endpoint.delete'].includes(what) && actor !== 'stranger')
      .map(endpointIn),
  )
  return dump.webhookendpoints.filter(({ _id }) => !changed.has(_id))
}

/** The second half of a delivery's id. */
export const endpointOfDelivery = (id: string): string => Buffer.from(id, 'base64url').toString('hex', 12)
