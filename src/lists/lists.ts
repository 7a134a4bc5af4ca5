import { mongo } from 'mongoose'
import { refuse } from '../errors.ts'
import type { Models } from '../mongo/models.ts'
import { createLimiter, type Limiter } from './limiter.ts'

/**
 * Lists, counts, exports and staff searches: their connections to MongoDB, and how many run in parallel. Nothing else
 * waits for them.
 */
export interface Lists {
  /** Every model, on the connections for lists. MongoDB ends each of their queries after `longestReadMs`. */
  models: Models
  /**
   * Runs an owner's list as soon as the limits allow. Throws RATE_LIMITED, or SERVICE_UNAVAILABLE if MongoDB takes too
   * long.
   */
  run<T>(owner: string, isGone: () => boolean, read: (models: Models) => Promise<T>): Promise<T>
  /**
   * Limits the lists of each business from the start of a request. A request waits here only for its own business's
   * lists, and holds nothing while it waits.
   */
  shares: Limiter
  /** Limits the exports of each business. `run` reads their pages one by one, so a slow client holds no connection. */
  exports: Limiter
}

/** A slot covers a page and its counts. With two, a merchant's employee and program can list at the same time. */
const slots = { perOwner: 2, inAll: 4 } as const
/**
 * There is no limit per process, so that no business waits for another: an export lasts as long as its client takes to
 * read it.
 */
const ofBusiness = { perOwner: slots.perOwner, inAll: Number.POSITIVE_INFINITY } as const
/**
 * A slot rests after a list or an export of more than 10 ms, for three times the time beyond that. So a business that
 * lists without pause occupies MongoDB for half the time, or less when MongoDB is slow. A rest is much shorter than the
 * wait for a slot, so sequential lists are never refused.
 */
const restAfter = (tookMs: number): number => Math.min(200, 3 * (tookMs - 10))

/** A slot sends up to three queries at once, a staff page up to five, and the metrics need some too. */
export const listConnections = { maxPoolSize: 16, appName: 'payment-intents lists' } as const

/** MongoDB's MaxTimeMSExpired. */
const timeExceeded = 50

export function createLists(models: Models): Lists {
  const { run } = createLimiter(slots)
  return {
    models,
    async run(owner, isGone, read) {
      try {
        return await run(owner, isGone, () => read(models))
      } catch (error) {
        if (!(error instanceof mongo.MongoServerError && error.code === timeExceeded)) throw error
        throw refuse('SERVICE_UNAVAILABLE', {
          message:
            'Reading this list took too long. Narrow it with a filter such as from and to, or try again.',
          retryAfterSeconds: 5,
        })
      }
    },
    shares: createLimiter({ ...ofBusiness, restAfter }),
    exports: createLimiter({ ...ofBusiness, restAfter }),
  }
}
