import { nativeCollection } from '../mongo/collection.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachNewPage, eachPage } from './each-page.ts'
import { removeEndpoints } from './remove.ts'
import { removeDeliveries } from './remove-deliveries.ts'
import { removeEntries } from './remove-entries.ts'
import { removeOtherEvents } from './remove-events.ts'
import { removeIntents } from './remove-intents.ts'
import { removeOrders } from './remove-orders.ts'
import { removeProducts } from './remove-products.ts'
import { trimAttempts } from './trim-attempts.ts'

const { maxTimeMS } = batchLimits

/**
 * Removes a business's old data. The searches for this data use the same indexes as the lists. The clean-up may be
 * stopped or killed at any point, because the next run finds the remaining data. No intent or order is removed before
 * the deliveries that report on it.
 */
export async function cleanBusiness(cleaning: Cleaning): Promise<void> {
  await removeDeliveries(cleaning)
  await removeIntents(cleaning)
  await removeOrders(cleaning)
  await removeOtherEvents(cleaning)
  await removeProducts(cleaning)
  const { Endpoint, businessId, responsesBefore: before } = cleaning
  const deletable = { index: 'byTime', where: { businessId }, from: null, before }
  // Endpoints are removed after deliveries, because a deleted endpoint is kept as long as it has any deliveries.
  await eachPage(cleaning.pace, Endpoint, deletable, (ids) => removeEndpoints(cleaning, ids))
  await removeEntries(cleaning)
  await trimAttempts(cleaning)
  await removeResponses(cleaning)
}

/** Removes the sealed responses to the requests that created old endpoints. */
async function removeResponses(cleaning: Cleaning): Promise<void> {
  const { Endpoint, businessId, responsesBefore: before, isDry, count } = cleaning
  const collection = nativeCollection(Endpoint)
  const walk = { index: 'byTime', where: { businessId }, before }
  await eachNewPage(cleaning, 'responses webhookendpoints byTime live', Endpoint, walk, async (ids) => {
    const filter = { _id: { $in: ids }, sealedResponse: { $exists: true } }
    if (isDry) return count('responses', await collection.countDocuments(filter, { maxTimeMS }))
    const { modifiedCount } = await collection.updateMany(filter, { $unset: { sealedResponse: 1 } }, { maxTimeMS })
    count('responses', modifiedCount)
  })
}
