import { mongo } from 'mongoose'
import type { Models } from '../collections.ts'
import { refuse } from '../errors.ts'
import { createLimiter, type Limiter } from './limiter.ts'

/** Lists, counts, exports and staff searches: their connections to MongoDB, and how many run at once. Nothing else waits for them. */
export interface Lists {
  /** Every model, on the connections of the lists. MongoDB ends each of their queries after `longestReadMs`. */
  models: Models
  /** Runs a list of an owner as soon as the limits let it. Throws RATE_LIMITED, and SERVICE_UNAVAILABLE where MongoDB took too long. */
  run<T>(owner: string, isGone: () => boolean, read: (models: Models) => Promise<T>): Promise<T>
  /** What a business lists, from its request on. Only its own lists are waited for here, and nothing is held meanwhile. */
  shares: Limiter
  /** Whole exports of a business. Their pages are read one by one by `run`, so an export that is taken slowly holds no connection. */
  exports: Limiter
}

/** A slot is a page and its counts. Two of a business let its person and its program list at the same time. */
const slots = { perOwner: 2, inAll: 4 } as const
/** Without a bound for all, nobody waits for others: an export lasts as long as its caller takes it. */
const ofBusiness = { perOwner: slots.perOwner, inAll: Number.POSITIVE_INFINITY } as const
/**
 * After a list of more than 10 ms its slot rests for three times what it took beyond that, so a business that lists without end has MongoDB
 * work for it half of the time, and less when MongoDB is slow. Well below what a list waits for its slot, so one after the other is never refused.
 */
const restAfter = (tookMs: number): number => Math.min(200, 3 * (tookMs - 10))

/** A slot sends up to three queries at once, a page of staff's five, and the metrics need some too. */
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
            'Reading this list took too long. Narrow it, by from and to where it has them, or try again.',
          retryAfterSeconds: 5,
        })
      }
    },
    shares: createLimiter({ ...ofBusiness, restAfter }),
    exports: createLimiter(ofBusiness),
  }
}
