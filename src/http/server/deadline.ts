import { unavailable } from '../../errors.ts'
import { withTimeout } from '../../process/timeout.ts'

/** How long a request may wait for MongoDB in total, so that the client gets its response within 10 s. */
const budgetMs = 8000
/**
 * Timers are rounded up to a multiple of this. Node keeps timers of equal duration in one list, and a separate list for
 * each request would cost more than a slightly late deadline.
 */
const tickMs = 100

/** How much longer a request may wait for MongoDB. Only time spent in `run` counts. */
export interface Deadline {
  /**
   * Runs work that waits for MongoDB. `deadlineAt` is the deadline for that work, as a `performance.now()` value.
   * Throws SERVICE_UNAVAILABLE after the deadline. The outcome of a write that was already sent is then unknown.
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
