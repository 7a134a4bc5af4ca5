import type { Models } from '../collections.ts'
import type { Config } from '../config.ts'
import type { Cleaning } from './cleaning.ts'
import { askedForMs, forgetAnswers } from './forget-answers.ts'
import { forgetAttempts } from './forget-attempts.ts'
import type { RetentionRecord } from './record.ts'
import { removeDeliveries } from './remove-deliveries.ts'
import { removeIntents } from './remove-intents.ts'
import { removeOrders } from './remove-orders.ts'
import { removeProducts } from './remove-products.ts'

/** How far a clean-up has come once it is through: from there the next one goes on. */
export type Reached = Pick<RetentionRecord, 'answersUntil' | 'attemptsUntil'>

export type CleaningDeps = Models & {
  now(): Date
  config: Pick<Config, 'sandboxRetentionMs' | 'liveDeliveryRetentionMs'>
}

/** What is old at `deps.now()`, as the configuration says, where the last clean-up left off. */
export function spansOf(
  { config, now }: CleaningDeps,
  reached: Reached,
): Pick<Cleaning, 'now' | 'testsBefore' | 'attempts' | 'answers'> {
  const at = now()
  const ago = (ms: number) => new Date(at.getTime() - ms)
  const { sandboxRetentionMs, liveDeliveryRetentionMs: keptMs } = config
  return {
    now: at,
    testsBefore: ago(sandboxRetentionMs),
    attempts: keptMs === null ? null : { from: reached.attemptsUntil ?? null, before: ago(keptMs) },
    answers: { from: reached.answersUntil ?? null, before: ago(askedForMs) },
  }
}

/**
 * Goes through all businesses, and at each takes away what is old, by the indexes that its lists are read by. Stopped or killed anywhere it
 * simply begins anew: what is left is what is still there. A delivery goes no later than what it tells of. `done` hears of each business.
 */
export async function cleanUp(cleaning: Cleaning, done: () => void): Promise<Reached> {
  const { answers, attempts } = cleaning
  let attemptsUntil = attempts?.before
  for await (const businessId of businessIds(cleaning)) {
    await removeDeliveries(cleaning, businessId)
    await removeIntents(cleaning, businessId)
    await removeOrders(cleaning, businessId)
    await removeProducts(cleaning, businessId)
    await forgetAttempts(cleaning, businessId, (madeAt) => {
      if (attemptsUntil !== undefined && madeAt < attemptsUntil) attemptsUntil = madeAt
    })
    await forgetAnswers(cleaning, businessId)
    done()
  }
  return { answersUntil: answers.before, ...(attemptsUntil === undefined ? {} : { attemptsUntil }) }
}

const businessesAtOnce = 1000

async function* businessIds({ Business, pace }: Cleaning): AsyncGenerator<string> {
  let last = ''
  for (;;) {
    const page = await pace(() =>
      Business.find({ _id: { $gt: last } }, { _id: 1 })
        .sort({ _id: 1 })
        .limit(businessesAtOnce)
        .lean<{ _id: string }[]>(),
    )
    for (const { _id } of page) yield _id
    const end = page.at(-1)
    if (end === undefined || page.length < businessesAtOnce) return
    last = end._id
  }
}
