import type { Model } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import { placed } from '../store/orders/order.ts'
import { batchLimits } from './batch.ts'
import type { Cleaning } from './cleaning.ts'
import { eachPage, type Listed, type Walk } from './each-page.ts'

/**
 * Nobody asks for the answer of a create any more: its claim was made before it, and lives for 24 h (idempotency/claim.ts). As long again,
 * for clocks and for doubt.
 */
export const askedForMs = 48 * 3_600_000

const { maxTimeMS } = batchLimits

/** A document that carries the sealed first answer of its create. */
interface Answered extends Listed {
  answer?: string
}

/** What a business made in the span, of both environments, loses its sealed first answer: half of its bytes, and all that SECRET_KEY seals there. */
export async function forgetAnswers(cleaning: Cleaning, businessId: string): Promise<void> {
  const { Intent, Order, Product, Endpoint } = cleaning
  for (const sandbox of [true, false]) {
    const owner = { businessId, sandbox }
    const some = sandbox ? withoutGone(cleaning) : cleaning
    await forget(some, Intent, 'byTime', owner)
    await forget(some, Order, 'byTime', { ...owner, ...placed })
    await forget(some, Product, 'byTime', { ...owner, listed: true })
    await forget(some, Product, 'deleted', { ...owner, deletedAt: { $type: 'date' } })
  }
  await forget(cleaning, Endpoint, 'byTime', { businessId })
}

/** What a dry run only counted is there still, and must not be counted twice. */
function withoutGone(cleaning: Cleaning): Cleaning {
  const { isDry, testsBefore, answers } = cleaning
  const isLater = answers.from !== null && answers.from > testsBefore
  return isDry && !isLater ? { ...cleaning, answers: { ...answers, from: testsBefore } } : cleaning
}

async function forget<Doc extends Answered>(
  { answers, isDry, pace, count }: Cleaning,
  model: Model<Doc>,
  index: string,
  where: Walk['where'],
): Promise<void> {
  const collection = pastMongoose(model as unknown as Model<Answered>)
  await eachPage(pace, model, { index, where, ...answers }, async (ids) => {
    const answered = { _id: { $in: ids }, answer: { $exists: true } }
    if (isDry) return count('answers', await collection.countDocuments(answered, { maxTimeMS }))
    const { modifiedCount } = await collection.updateMany(answered, { $unset: { answer: 1 } }, { maxTimeMS })
    count('answers', modifiedCount)
  })
}
