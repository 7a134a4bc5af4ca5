import type { Model } from 'mongoose'
import type { Listed } from '../input/pagination.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Walk } from '../mongo/walk.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachNewPage } from './each-page.ts'

const { maxTimeMS } = batchLimits

/** A document that may contain the sealed first response to the request that created it. */
interface WithResponse extends Listed {
  sealedResponse?: string
}

/**
 * Removes the sealed responses to the requests that created old products and endpoints. Such a response makes up half
 * of a product's document.
 */
export async function removeResponses(cleaning: Cleaning): Promise<void> {
  const { Product, Endpoint, businessId } = cleaning
  for (const sandbox of [true, false]) {
    const owner = { businessId, sandbox }
    await removeFrom(cleaning, Product, 'byTime', { ...owner, listed: true })
    await removeFrom(cleaning, Product, 'deletions', { ...owner, deletedAt: { $type: 'date' } })
  }
  await removeFrom(cleaning, Endpoint, 'byTime', { businessId })
}

async function removeFrom<Doc extends WithResponse>(
  cleaning: Cleaning,
  model: Model<Doc>,
  index: string,
  where: Walk['where'],
): Promise<void> {
  const { responsesBefore: before, isDry, count } = cleaning
  const collection = nativeCollection(model as unknown as Model<WithResponse>)
  const name = ['responses', collection.collectionName, index, where.sandbox === true ? 'test' : 'live'].join(' ')
  await eachNewPage(cleaning, name, model, { index, where, before }, async (ids) => {
    const filter = { _id: { $in: ids }, sealedResponse: { $exists: true }, ...notCounted(cleaning, where) }
    if (isDry) return count('responses', await collection.countDocuments(filter, { maxTimeMS }))
    const { modifiedCount } = await collection.updateMany(filter, { $unset: { sealedResponse: 1 } }, { maxTimeMS })
    count('responses', modifiedCount)
  })
}

/**
 * Returns an additional filter that, in a dry run, excludes the test documents that have already been counted as
 * documents to remove.
 */
const notCounted = ({ isDry, testsBefore }: Cleaning, { sandbox }: Walk['where']) =>
  isDry && sandbox === true ? { createdAt: { $gte: testsBefore } } : {}
