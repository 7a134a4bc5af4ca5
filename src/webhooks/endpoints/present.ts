import type { Endpoint } from './endpoint.ts'
import { lastDayOf } from './last-day.ts'

/** Returns an endpoint as merchants see it, without its secret (SPEC 2.2). */
export const presentEndpoint = (
  endpoint: Pick<Endpoint, '_id' | 'url' | 'events' | 'active' | 'sandbox' | 'createdAt' | 'health'>,
): Record<string, unknown> => ({
  id: endpoint._id,
  url: endpoint.url,
  events: endpoint.events,
  active: endpoint.active,
  sandbox: endpoint.sandbox,
  createdAt: endpoint.createdAt,
  health: presentHealth(endpoint.health),
})

/** Returns an endpoint as it appears in the list, with the figures of its latest attempts. */
export const presentListedEndpoint = (endpoint: Endpoint, now: Date): Record<string, unknown> => ({
  ...presentEndpoint(endpoint),
  last24Hours: lastDayOf(endpoint, now),
})

const presentHealth = ({
  lastSuccessAt,
  lastFailureAt,
  failuresInRow,
  lastError,
}: Endpoint['health']): Record<string, unknown> => ({
  lastSuccessAt,
  lastFailureAt,
  failuresInRow,
  lastError,
})
