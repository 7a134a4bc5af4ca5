import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachPage } from './each-page.ts'
import { removeTests } from './remove.ts'

/** A filter for deliveries that have ended: no attempt is due or running. */
const ended = { nextAttemptAt: null }

/** Removes a business's old test deliveries that have ended. */
export function removeDeliveries(cleaning: Cleaning): Promise<void> {
  const { Delivery, businessId, testsBefore } = cleaning
  const walk = {
    index: 'byTimeAndEvent',
    where: { businessId, sandbox: true },
    from: null,
    before: testsBefore,
  }
  return eachPage(cleaning.pace, Delivery, walk, (ids) =>
    removeTests(cleaning, 'deliveries', Delivery, { _id: { $in: ids }, ...ended }),
  )
}

/**
 * Returns the references of those test intents or orders that must be kept, because at least one of their deliveries
 * has not ended.
 */
export async function undelivered({ Delivery }: Cleaning, references: readonly string[]): Promise<Set<string>> {
  const open = await Delivery.find(
    { referenceNumber: { $in: references }, sandbox: true, $nor: [ended] },
    { referenceNumber: 1 },
  )
    .maxTimeMS(batchLimits.maxTimeMS)
    .lean<{ referenceNumber: string }[]>()
  return new Set(open.map(({ referenceNumber }) => referenceNumber))
}

/**
 * Removes the remaining deliveries of test intents or orders that are about to be removed. These are newer deliveries,
 * such as the delivery that reports a refund made weeks after the payment. No delivery may report on a document that no
 * longer exists.
 */
export async function removeDeliveriesOf(cleaning: Cleaning, references: readonly string[]): Promise<void> {
  const { Delivery, testsBefore, isDry } = cleaning
  await removeTests(cleaning, 'deliveries', Delivery, {
    referenceNumber: { $in: references },
    // In a dry run, `removeDeliveries` has already counted the older deliveries.
    ...(isDry ? { createdAt: { $gte: testsBefore } } : {}),
    ...ended,
  })
}
