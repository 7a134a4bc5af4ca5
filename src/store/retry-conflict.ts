import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../errors.ts'

/** Each try that fails lost to somebody else between its read and its write: so many in a row only a storm of them makes. */
const maxAttempts = 16
/** Who lost waits for up to so long, a little more each time, so that those who meet do not meet again: less than 3 s in all. */
const longestPauseMs = 20

/**
 * Calls `act` until it answers something else than null, which is what it answers when others were quicker. Ends with
 * SERVICE_UNAVAILABLE after `maxAttempts`, and at `until`, the caller's deadline on `performance.now()`. What it throws is thrown.
 */
export async function retryConflicts<T>(deadlineAt: number, act: () => Promise<T | null>): Promise<T> {
  for (let tries = 1; tries <= maxAttempts; tries += 1) {
    if (tries > 1) await pause(Math.random() * longestPauseMs * (tries - 1))
    if (performance.now() >= deadlineAt) break
    const outcome = await act()
    if (outcome !== null) return outcome
  }
  throw unavailable()
}
