import type { Endpoint } from './endpoint.ts'

const shownHours = 24
const hourMs = 3_600_000

/** Returns the start of the hour that contains `at`, in milliseconds since 1970. */
export const hourOf = (at: Date): number => Math.floor(at.getTime() / hourMs) * hourMs

/** The results of an endpoint's latest attempts. */
export type LastDay = ReturnType<typeof lastDayOf>

/**
 * Returns the field of an endpoint that counts the attempts of an hour. The same hour of the next day uses the same
 * field, so an endpoint has at most 24 of them.
 */
export const hourField = (hour: number): string => `attemptHours.h${(hour / hourMs) % shownHours}`

/**
 * Returns the results of the attempts that ended within the current hour or the 23 hours before it. `successRate` is
 * from 0 to 1, or null if there were no attempts. `lastError` is the last failed attempt, or null if none failed.
 */
export function lastDayOf({ attemptHours, health }: Pick<Endpoint, 'attemptHours' | 'health'>, now: Date) {
  const first = hourOf(now) - (shownHours - 1) * hourMs
  const hours = Object.values(attemptHours).filter(({ hour }) => hour.getTime() >= first)
  const attempts = hours.reduce((sum, each) => sum + each.attempts, 0)
  const succeeded = hours.reduce((sum, each) => sum + each.succeeded, 0)
  const { lastFailureAt: at, lastError: error, lastStatus: responseStatus } = health
  return {
    attempts,
    succeeded,
    successRate: attempts === 0 ? null : succeeded / attempts,
    lastError: at === null || at.getTime() < first ? null : { at, error, responseStatus },
  }
}
