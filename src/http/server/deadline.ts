import { unavailable } from '../../errors.ts'
import { withTimeout } from '../../process/timeout.ts'

/** How long a request may wait for MongoDB in total, so that the client has its response within 10 s. */
const budgetMs = 8000
/**
 * Timers are rounded up to this. Node keeps timers of equal length in one list, and a list per request would cost more
 * than a late deadline.
 */
const tickMs = 100

/** The time that a request may still wait for MongoDB. Only the time within `run` counts. */
export interface Deadline {
  /**
   * Runs work that waits for MongoDB. `deadlineAt` is its deadline, on `performance.now()`. After the deadline it
   * throws SERVICE_UNAVAILABLE. The outcome of a write that was sent is then unknown.
   */
  run<T>(work: (deadlineAt: number) => Promise<T>): Promise<T>
}

export function startDeadline(): Deadline {
  let leftMs = budgetMs
  return {
    async run(work) {
      const startedAt = performance.now()
      try {
        return await withTimeout(work(startedAt + leftMs), Math.ceil(leftMs / tickMs) * tickMs, () => {
          throw unavailable()
        })
      } finally {
        leftMs = Math.max(0, leftMs - (performance.now() - startedAt))
      }
    },
  }
}
