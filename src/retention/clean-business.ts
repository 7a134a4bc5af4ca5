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
 * Takes away what is old of a business, by the indexes that its lists are read by. Stopped or killed anywhere, the next one finds what is still
 * there; of what stays it goes on where this one came to. A delivery goes no later than what it tells of.
 */
export async function cleanBusiness(cleaning: Cleaning): Promise<void> {
  await removeDeliveries(cleaning)
  await removeIntents(cleaning)
  await removeOrders(cleaning)
  await removeProducts(cleaning)
  const { Endpoint, businessId, responsesBefore: before } = cleaning
  const deletable = { index: 'byTime', where: { businessId }, from: null, before }
  // Removed last: a deleted endpoint stays as long as its deliveries.
  await eachPage(cleaning.pace, Endpoint, deletable, (ids) => removeEndpoints(cleaning, ids))
  await trimAttempts(cleaning)
  await removeResponses(cleaning)
}
