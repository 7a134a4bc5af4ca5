import type { Endpoint } from './endpoint.ts'

/** An endpoint for the merchant, without its secret (SPEC 2.2). */
export const presentEndpoint = (
  endpoint: Pick<Endpoint, '_id' | 'url' | 'events' | 'active' | 'createdAt'>,
): Record<string, unknown> => ({
  id: endpoint._id,
  url: endpoint.url,
  events: endpoint.events,
  active: endpoint.active,
  createdAt: endpoint.createdAt,
})
