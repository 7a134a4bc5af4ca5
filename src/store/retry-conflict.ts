import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../errors.ts'

/**
 * An attempt fails if another request writes between its read and its write. Only under extreme load do 16 attempts
 * fail in a row.
 */
const maxAttempts = 16
/**
 * Each pause is random. Its maximum grows by this much per attempt, so that competing requests spread out. The pauses
 * take less than 3 s in total.
 */
const pauseStepMs = 20

/**
 * Calls `attempt` until its result is not null. Null means that another request wrote first. Throws SERVICE_UNAVAILABLE
 * after `maxAttempts`, or at `deadlineAt` on `performance.now()`.
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
