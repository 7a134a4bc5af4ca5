import type { Cleaning } from './cleaning.ts'
import { eachPage } from './each-page.ts'
import { removeEndpoints } from './remove.ts'
import { removeDeliveries } from './remove-deliveries.ts'
import { removeIntents } from './remove-intents.ts'
import { removeOrders } from './remove-orders.ts'
import { removeProducts } from './remove-products.ts'
import { removeResponses } from './remove-responses.ts'
import { trimAttempts } from './trim-attempts.ts'

/**
 * Removes the old data of one business, with the indexes of its lists. May be stopped or killed at any point: the next
 * run finds the remaining data. A delivery is removed no later than the intent or order that it reports on.
 */
export async function cleanBusiness(cleaning: Cleaning): Promise<void> {
  await removeDeliveries(cleaning)
  await removeIntents(cleaning)
  await removeOrders(cleaning)
  await removeProducts(cleaning)
  const { Endpoint, businessId, responsesBefore: before } = cleaning
  const deletable = { index: 'byTime', where: { businessId }, from: null, before }
  // After the deliveries, because a deleted endpoint stays as long as it has any.
  await eachPage(cleaning.pace, Endpoint, deletable, (ids) => removeEndpoints(cleaning, ids))
  await trimAttempts(cleaning)
  await removeResponses(cleaning)
}
