import type { Cleaning } from './cleaning.ts'
import { eachPage } from './each-page.ts'
import { removeEndpoints } from './remove.ts'
import { removeDeliveries } from './remove-deliveries.ts'
import { removeEntries } from './remove-entries.ts'
import { removeOtherEvents } from './remove-events.ts'
import { removeIntents } from './remove-intents.ts'
import { removeOrders } from './remove-orders.ts'
import { removeProducts } from './remove-products.ts'
import { trimAttempts } from './trim-attempts.ts'

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
  const { Endpoint, businessId, deletedBefore: before } = cleaning
  const deletable = { index: 'byTime', where: { businessId }, from: null, before }
  // Endpoints are removed after deliveries, because a deleted endpoint is kept as long as it has any deliveries.
  await eachPage(cleaning.pace, Endpoint, deletable, (ids) => removeEndpoints(cleaning, ids))
  await removeEntries(cleaning)
  await trimAttempts(cleaning)
}
