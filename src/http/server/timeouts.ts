import { longestWaitMs } from '../../mongo/transaction.ts'
import { unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/timeout.ts'

/** How long the HTTP server waits for slow clients. */
export const timeouts = {
  /**
   * How long the headers of a request may take to arrive. The time is measured from the opening of the connection or,
   * for later requests, from the first byte of the request. Headers are only a few KB, so this is enough even on the
   * slowest mobile networks.
   */
  headersMs: 15_000,
  /**
   * How long a whole request may take to arrive, including its body. This is enough to upload a product file of 8 MiB
   * at 280 KB/s.
   */
  requestMs: 30_000,
  /**
   * How long a body may pause. However slowly it arrives otherwise, only `requestMs` applies. This allows for lost
   * packets, which clients resend after 1, 3 and 7 s.
   */
  bodyStallMs: 10_000,
  /** How long a client may go without reading any more of a response. */
  responseIdleMs: 30_000,
  /** How long a client may read a response more slowly than `minResponseRate`. */
  responseGraceMs: 30_000,
  /**
   * How long a connection may stay idle before its next request. Load balancers keep idle connections open for 60 s,
   * Heroku's router for 90 s. They must close a connection before this server does, because a request could otherwise
   * arrive while the server is closing it.
   */
  keepAliveMs: 95_000,
  /**
   * How long the client may take to close the connection after the last response. Closing a connection while data is
   * still arriving resets the connection, and the client may then lose the response.
   */
  lingerMs: 2000,
  /** How often the server checks whether a connection has exceeded one of these limits. */
  checkEveryMs: 1000,
}

export type Timeouts = typeof timeouts

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
