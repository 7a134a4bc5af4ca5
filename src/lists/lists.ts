import { refuse } from '../errors.ts'
import { isTooSlow } from '../mongo/collection.ts'
import type { Models } from '../mongo/models.ts'
import { createLimiter } from './limiter.ts'

/**
 * Runs lists, counts, exports and staff searches on separate MongoDB connections, and limits how many run in parallel,
 * so that no other work has to wait for them.
 */
export type Lists = ReturnType<typeof createLists>

/**
 * Each slot covers one page and its counts. With two slots, an employee and a program of the same merchant can read
 * lists at the same time.
 */
const slots = { perOwner: 2, inAll: 4 } as const
/**
 * The limits on one business's list requests, and on its exports. There is no limit for the whole process, because an
 * export lasts as long as its client takes to read the file, and no business should have to wait for another business's
 * clients.
 */
const ofBusiness = { perOwner: slots.perOwner, inAll: Number.POSITIVE_INFINITY } as const
/**
 * After a list request or an export that takes more than 10 ms, its slot rests for three times the excess, but for at
 * most 200 ms. For example, requests that take 75 ms each occupy a slot for at most 28 % of the time (75 of every 270
 * ms), so the two slots of a business keep MongoDB busy for about half of the time. Shorter or longer requests can keep
 * MongoDB busy for a larger share of the time. The rest is much shorter than `maxWaitMs` (limiter.ts), so requests that
 * a client sends one after another are never rejected.
 */
const restAfter = (tookMs: number): number => Math.min(200, 3 * (tookMs - 10))

/**
 * The pool has enough connections for up to three parallel queries per slot, up to five queries per staff page, and the
 * queries for the metrics.
 */
export const listConnections = { maxPoolSize: 16, appName: 'payment-intents lists' } as const

export function createLists(models: Models) {
  const { run } = createLimiter(slots)
  return {
    /** All models, on the connections for lists. MongoDB aborts each of their queries after `longestReadMs`. */
    models,
    /**
     * Runs an owner's list query as soon as the limits allow it. Throws RATE_LIMITED if the wait is too long, or
     * SERVICE_UNAVAILABLE if MongoDB takes too long.
     */
    async run<T>(owner: string, isGone: () => boolean, read: (models: Models) => Promise<T>): Promise<T> {
      try {
        return await run(owner, isGone, () => read(models))
      } catch (error) {
        if (!isTooSlow(error)) throw error
        throw refuse('SERVICE_UNAVAILABLE', {
          message: 'Reading this list took too long. Narrow it with a filter such as from and to, or try again.',
          retryAfterSeconds: 5,
        })
      }
    },
    /**
     * Limits how many list requests of each business run in parallel. The limit applies from the start of a request. A
     * request waits here only for other list requests of its own business, and holds no resources while it is waiting.
     */
    shares: createLimiter({ ...ofBusiness, restAfter }),
    /**
     * Limits how many exports each business runs in parallel. The pages of an export are read one by one with `run`, so
     * a slow client does not occupy a connection.
     */
    exports: createLimiter({ ...ofBusiness, restAfter }),
  }
}
