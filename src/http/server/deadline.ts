import { longestWaitMs } from '../../mongo/transaction.ts'
import { unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/timeout.ts'

/**
 * Timers are rounded up to a multiple of this. Node.js keeps all timers of one duration in one list, and a list per
 * request would cost more than an exact deadline is worth.
 */
const tickMs = 100

export type Deadline = ReturnType<typeof startDeadline>

/** How long a request may wait for MongoDB in total. Only time spent in `run` counts. */
export function startDeadline() {
  let leftMs = longestWaitMs
  return {
    /** When `run` would end if it began now, a `performance.now()` value. */
    endsAt: (): number => performance.now() + leftMs,
    /**
     * `work` may wait for MongoDB until `deadlineAt`, a `performance.now()` value. Throws SERVICE_UNAVAILABLE at the
     * deadline: the outcome of a write sent by then is unknown.
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
