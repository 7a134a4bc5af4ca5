import { longestWaitMs } from '../../mongo/transaction.ts'
import { unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/timeout.ts'

/**
 * The durations of timers are rounded up to a multiple of this value. Node.js keeps all timers of the same duration in
 * one list, and the overhead of a list for each request would outweigh the benefit of an exact deadline.
 */
const tickMs = 100

export type Deadline = ReturnType<typeof startDeadline>

/** Limits how long a request may wait for MongoDB in total. Only time spent in `run` counts towards the limit. */
export function startDeadline() {
  let leftMs = longestWaitMs
  return {
    /** The end of what would run now, a `performance.now()` value. */
    endsAt: (): number => performance.now() + leftMs,
    /**
     * Runs `work`, which may wait for MongoDB until `deadlineAt`, a `performance.now()` value. Throws
     * SERVICE_UNAVAILABLE at the deadline. If a write has already been sent by then, its outcome is unknown.
     */
    async run<T>(work: (deadlineAt: number) => Promise<T>): Promise<T> {
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
