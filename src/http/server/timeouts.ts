import { longestWaitMs } from '../../mongo/transaction.ts'
import { unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/timeout.ts'

/** How long the server waits for slow clients. */
export const timeouts = {
  /**
   * From the opening of the connection or, for later requests, from the first byte of the request. Headers are only a
   * few KB, so this is enough even on the slowest mobile networks.
   */
  headersMs: 15_000,
  /** Until a whole request has arrived. Enough to upload a product file of 8 MiB at 280 KB/s. */
  requestMs: 30_000,
  /**
   * For a pause within a body; otherwise, only `requestMs` limits how slowly it arrives. Allows for lost packets, which
   * clients resend after 1, 3 and 7 s.
   */
  bodyStallMs: 10_000,
  /** For a client that doesn't read any more of a response. */
  responseIdleMs: 30_000,
  /** For reading a response more slowly than `minResponseRate`. */
  responseGraceMs: 30_000,
  /**
   * Idle, before the next request. Load balancers keep idle connections for 60 s, Heroku's router for 90 s. They must
   * close a connection before we do, because a request could otherwise arrive in that moment.
   */
  keepAliveMs: 95_000,
  /** Before we close a connection. If data is still arriving then, it's reset, and the client may lose the response. */
  lingerMs: 2000,
  checkEveryMs: 1000,
}

export type Timeouts = typeof timeouts

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
