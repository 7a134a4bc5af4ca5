import type { Model } from 'mongoose'
import type { Listed } from '../input/pagination.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Walk } from '../mongo/walk.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachNewPage } from './each-page.ts'

const { maxTimeMS } = batchLimits

/** A document with the sealed first response of its create. */
interface Answered extends Listed {
  sealedResponse?: string
}

/** Removes the sealed first responses of old products and endpoints: half of a product's bytes. */
export async function removeResponses(cleaning: Cleaning): Promise<void> {
  const { Product, Endpoint, businessId } = cleaning
  for (const sandbox of [true, false]) {
    const owner = { businessId, sandbox }
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
  const { responsesBefore: before, isDry, count } = cleaning
  const collection = nativeCollection(model as unknown as Model<Answered>)
  const name = ['answers', collection.collectionName, index, where.sandbox === true ? 'test' : 'live'].join(
    ' ',
  )
  await eachNewPage(cleaning, name, model, { index, where, before }, async (ids) => {
    const answered = { _id: { $in: ids }, sealedResponse: { $exists: true }, ...staying(cleaning, where) }
    if (isDry) return count('answers', await collection.countDocuments(answered, { maxTimeMS }))
    const { modifiedCount } = await collection.updateMany(
      answered,
      { $unset: { sealedResponse: 1 } },
      { maxTimeMS },
    )
    count('answers', modifiedCount)
  })
}

/** What a dry run only counted is there still, and must not be counted twice. */
const staying = ({ isDry, testsBefore }: Cleaning, { sandbox }: Walk['where']) =>
  isDry && sandbox === true ? { createdAt: { $gte: testsBefore } } : {}
