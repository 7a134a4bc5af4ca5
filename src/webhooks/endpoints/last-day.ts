import type { Endpoint } from './endpoint.ts'

const shownHours = 24
const hourMs = 3_600_000

/** Returns the start of the hour that contains `at`, in milliseconds since 1970. */
export const hourOf = (at: Date): number => Math.floor(at.getTime() / hourMs) * hourMs

/** The results of an endpoint's latest attempts. */
export interface LastDay {
  attempts: number
  succeeded: number
  /** From 0 to 1. Null if there were no attempts. */
  successRate: number | null
  /** The last failed attempt. Null if none failed. */
  lastError: { at: Date; error: string | null; responseStatus: number | null } | null
}

/**
 * Returns the field of an endpoint that counts the attempts of an hour. The same hour of the next day uses the same
 * field, so an endpoint has at most 24 of them.
 */
export const hourField = (hour: number): string => `attemptHours.h${(hour / hourMs) % shownHours}`

/** Returns the results of the attempts that ended within the current hour or the 23 hours before it. */
export function lastDayOf({ attemptHours, health }: Pick<Endpoint, 'attemptHours' | 'health'>, now: Date): LastDay {
  const first = hourOf(now) - (shownHours - 1) * hourMs
  let attempts = 0
  let succeeded = 0
  for (const each of Object.values(attemptHours))
    if (each.hour.getTime() >= first) {
      attempts += each.attempts
      succeeded += each.succeeded
    }
  const { lastFailureAt: at, lastError: error, lastStatus: responseStatus } = health
  return {
    attempts,
    succeeded,
    successRate: attempts === 0 ? null : succeeded / attempts,
    lastError: at === null || at.getTime() < first ? null : { at, error, responseStatus },
  }
}
