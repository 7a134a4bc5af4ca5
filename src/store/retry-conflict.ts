import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../errors.ts'

/**
 * The maximum number of attempts. An attempt fails if another request writes between the attempt's read and its write.
 * Only under extreme load do 16 attempts in a row fail.
 */
const maxAttempts = 16
/**
 * With each attempt, the maximum pause becomes this much longer. Each pause has a random length up to that maximum, so
 * that competing requests spread out. In total, the pauses take less than 3 s.
 */
const pauseStepMs = 20

/**
 * Calls `attempt` until the result is not null, and returns that result. Null means that another request was faster.
 * Throws SERVICE_UNAVAILABLE after `maxAttempts` attempts, or if `deadlineAt` has passed on the clock of
 * `performance.now()`.
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
