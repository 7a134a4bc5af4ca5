import { maxMongoWaitMs } from '../../mongo/transaction.ts'
import { unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/timeout.ts'

export const httpTimeouts = {
  /** A few KB arrive in time on any network. */
  headersMs: 15_000,
  /** Enough for 8 MiB at 280 KB/s. */
  requestMs: 30_000,
  /** Clients resend lost packets after 1, 3 and 7 s. */
  bodyStallMs: 10_000,
  responseIdleMs: 30_000,
  responseGraceMs: 30_000,
  /** Load balancers keep idle connections for up to 90 s. */
  keepAliveMs: 95_000,
  /** If we closed at once, the client might not see an early response. */
  lingerMs: 2000,
  checkEveryMs: 1000,
}

export type HttpTimeouts = typeof httpTimeouts

/** Node.js keeps a timer list per duration, so rounding avoids most lists. */
const tickMs = 100

export type Deadline = ReturnType<typeof startDeadline>

/** Limits how long a request waits for MongoDB in total. */
export function startDeadline() {
  let leftMs = maxMongoWaitMs
  return {
    endsAt: (): number => performance.now() + leftMs,
    /** `deadlineAt` is a `performance.now()` value. */
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
