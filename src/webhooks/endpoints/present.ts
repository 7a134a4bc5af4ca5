import type { Endpoint } from './endpoint.ts'
import { lastDayOf } from './last-day.ts'

/** Returns an endpoint as merchants see it, without its secret (SPEC 2.2). */
export function presentEndpoint(endpoint: Endpoint): Record<string, unknown> {
  const { _id: id, url, events, active, sandbox, createdAt, health } = endpoint
  const { lastSuccessAt, lastFailureAt, failuresInRow, lastError } = health
  const shownHealth = { lastSuccessAt, lastFailureAt, failuresInRow, lastError }
  return { id, url, events, active, sandbox, createdAt, health: shownHealth }
}

/** Returns an endpoint as it appears in the list, with the figures of its latest attempts. */
export const presentListedEndpoint = (endpoint: Endpoint, now: Date): Record<string, unknown> => ({
  ...presentEndpoint(endpoint),
  last24Hours: lastDayOf(endpoint, now),
})
