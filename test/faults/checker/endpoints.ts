import type { EndpointDocument } from './documents.ts'
import type { Evidence } from './read-folder.ts'
import { endpointIn } from './responses.ts'

/**
 * The endpoints whose URL and events never changed: nobody but a stranger updated or deleted them. Of the others nobody
 * can tell what was due when.
 */
export function steadyEndpoints({ calls, dump }: Pick<Evidence, 'calls' | 'dump'>): EndpointDocument[] {
  const changed = new Set(
    calls
      .filter(
        ({ what, actor }) => ['endpoint.update', 'endpoint.delete'].includes(what) && actor !== 'stranger',
      )
      .map(endpointIn),
  )
  return dump.webhookendpoints.filter(({ _id }) => !changed.has(_id))
}

/** The second half of a delivery's id. */
export const endpointOfDelivery = (id: string): string => Buffer.from(id, 'base64url').toString('hex', 12)
