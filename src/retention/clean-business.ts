import type { Config } from '../config.ts'
import type { Models } from '../mongo/models.ts'
import type { Kind } from './counts.ts'
import { eachPage } from './each-page.ts'
import type { Pace } from './pace.ts'
import type { Progress } from './progress.ts'
import { removeEndpoints } from './remove.ts'
import { removeDeliveries } from './remove-deliveries.ts'
import { removeIntents } from './remove-intents.ts'
import { removeOrders } from './remove-orders.ts'
import { removeProducts } from './remove-products.ts'
import { askedForMs, forgetAnswers } from './remove-responses.ts'
import { forgetAttempts } from './trim-attempts.ts'

export type CleaningDeps = Models & {
  now(): Date
  config: Pick<Config, 'sandboxRetentionMs' | 'liveDeliveryRetentionMs'>
}

/** What is old: made before these instants. */
interface Spans {
  /** What test keys made goes. */
  testsBefore: Date
  /** Of live deliveries the attempts go; null: they stay. */
  attemptsBefore: Date | null
  /** Of products and endpoints the sealed first response goes; endpoints deleted before go themselves. */
  answersBefore: Date
}

/** The clean-up of one business on its way. */
export interface Cleaning extends Models, Spans {
  now(): Date
  businessId: string
  progress: Progress
  /** Counts, and takes nothing away. */
  isDry: boolean
  pace: Pace
  count(kind: Kind, documents: number): void
}

/** What is old at `deps.now()`, as the configuration says. */
export function spansOf({ config, now }: CleaningDeps): Spans {
  const at = now().getTime()
  const { sandboxRetentionMs, liveDeliveryRetentionMs: keptMs } = config
  return {
    testsBefore: new Date(at - sandboxRetentionMs),
    attemptsBefore: keptMs === null ? null : new Date(at - keptMs),
    answersBefore: new Date(at - askedForMs),
  }
}

/**
 * Takes away what is old of a business, by the indexes that its lists are read by. Stopped or killed anywhere, the next one finds what is still
 * there; of what stays it goes on where this one came to. A delivery goes no later than what it tells of.
 */
export async function cleanBusiness(cleaning: Cleaning): Promise<void> {
  await removeDeliveries(cleaning)
  await removeIntents(cleaning)
  await removeOrders(cleaning)
  await removeProducts(cleaning)
  const { Endpoint, businessId, answersBefore: before } = cleaning
  const deletable = { index: 'byTime', where: { businessId }, from: null, before }
  // Removed last: a deleted endpoint stays as long as its deliveries.
  await eachPage(cleaning.pace, Endpoint, deletable, (ids) => removeEndpoints(cleaning, ids))
  await forgetAttempts(cleaning)
  await forgetAnswers(cleaning)
}
