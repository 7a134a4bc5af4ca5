import { maxMongoWaitMs } from '../../mongo/transaction.ts'
import { unavailable } from '../../platform/errors.ts'
import { withTimeout } from '../../platform/timeout.ts'

export const httpTimeouts = {
  /** Starts when the connection opens or a request begins. A few KB arrive in time on any network. */
  headersMs: 15_000,
  /** Limits a whole request. It's enough for 8 MiB at 280 KB/s. */
  requestMs: 30_000,
  /** Longest pause within a body. Clients resend lost packets after 1, 3 and 7 s. */
  bodyStallMs: 10_000,
  responseIdleMs: 30_000,
  responseGraceMs: 30_000,
  /** Load balancers keep idle connections for 60 s, Heroku's router for 90 s, and must close them before we do. */
  keepAliveMs: 95_000,
  /** How long we keep reading after an early response. If we closed at once, the client might not see it. */
  lingerMs: 2000,
  checkEveryMs: 1000,
}

export type HttpTimeouts = typeof httpTimeouts

/** Timeouts are rounded up: Node.js keeps a list per duration, and a list per request would be expensive. */
const tickMs = 100

export type Deadline = ReturnType<typeof startDeadline>

/** Limits how long a request waits for MongoDB in total. */
export function startDeadline() {
  let leftMs = maxMongoWaitMs
  return {
    endsAt: (): number => performance.now() + leftMs,
    /** Throws SERVICE_UNAVAILABLE at `deadlineAt`, a `performance.now()` value. */
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
