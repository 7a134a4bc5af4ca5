import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../errors.ts'

/**
 * An attempt fails if another request writes between the attempt's read and its write. Only under extreme load can 16
 * attempts in a row fail.
 */
const maxAttempts = 16
/**
 * Each pause has a random length. The maximum length grows by this much with each attempt, so that competing requests
 * spread out. In total, the pauses take less than 3 s.
 */
const pauseStepMs = 20

/**
 * Calls `attempt` until it returns a result other than null. Null means that another request was faster. Throws
 * SERVICE_UNAVAILABLE after `maxAttempts`, or at `deadlineAt` on the clock of `performance.now()`.
 */
export async function retryConflicts<T>(deadlineAt: number, attempt: () => Promise<T | null>): Promise<T> {
  for (let attempts = 1; attempts <= maxAttempts; attempts += 1) {
    if (attempts > 1) await pause(Math.random() * pauseStepMs * (attempts - 1))
    if (performance.now() >= deadlineAt) break
    const outcome = await attempt()
    if (outcome !== null) return outcome
  }
  throw unavailable()
}
