import type { Model } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import type { Listed } from '../pagination.ts'
import type { Walk } from '../read-page.ts'
import { placed } from '../store/orders/order.ts'
import type { Cleaning } from './clean-business.ts'
import { batchLimits, eachNewPage } from './each-page.ts'

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

/** What a business made, in both environments, loses its sealed first answer once that is old: half of its bytes, and all that SECRET_KEY seals there. */
export async function forgetAnswers(cleaning: Cleaning): Promise<void> {
  const { Intent, Order, Product, Endpoint, businessId } = cleaning
  for (const sandbox of [true, false]) {
    const owner = { businessId, sandbox }
    await forget(cleaning, Intent, 'byTime', owner)
    await forget(cleaning, Order, 'byTime', { ...owner, ...placed })
    await forget(cleaning, Product, 'byTime', { ...owner, listed: true })
    await forget(cleaning, Product, 'deletions', { ...owner, deletedAt: { $type: 'date' } })
  }
  await forget(cleaning, Endpoint, 'byTime', { businessId })
}

async function forget<Doc extends Answered>(
  cleaning: Cleaning,
  model: Model<Doc>,
  index: string,
  where: Walk['where'],
): Promise<void> {
  const { answersBefore: before, isDry, count } = cleaning
  const collection = pastMongoose(model as unknown as Model<Answered>)
  const name = ['answers', collection.collectionName, index, where.sandbox === true ? 'test' : 'live'].join(
    ' ',
  )
  await eachNewPage(cleaning, name, model, { index, where, before }, async (ids) => {
    const answered = { _id: { $in: ids }, answer: { $exists: true }, ...staying(cleaning, where) }
    if (isDry) return count('answers', await collection.countDocuments(answered, { maxTimeMS }))
    const { modifiedCount } = await collection.updateMany(answered, { $unset: { answer: 1 } }, { maxTimeMS })
    count('answers', modifiedCount)
  })
}

/** What a dry run only counted is there still, and must not be counted twice. */
const staying = ({ isDry, testsBefore }: Cleaning, { sandbox }: Walk['where']) =>
  isDry && sandbox === true ? { createdAt: { $gte: testsBefore } } : {}
