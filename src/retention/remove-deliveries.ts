import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachPage } from './each-page.ts'
import { removeTests } from './remove.ts'

/**
 * A filter for deliveries that have no attempt due or running, and whose audit lines have all been moved to the audit
 * trail.
 */
const ended = { nextAttemptAt: null, 'unaudited.0': { $exists: false } }

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
 * Returns the references of test intents or orders that must be kept, because one of their deliveries has not ended.
 */
export async function undelivered(
  { Delivery }: Cleaning,
  references: readonly string[],
): Promise<Set<string>> {
  const open = await Delivery.find(
    { referenceNumber: { $in: references }, sandbox: true, $nor: [ended] },
    { referenceNumber: 1 },
  )
    .maxTimeMS(batchLimits.maxTimeMS)
    .lean<{ referenceNumber: string }[]>()
  return new Set(open.map(({ referenceNumber }) => referenceNumber))
}

/**
 * Removes the newer deliveries of test intents or orders that are about to be removed, such as the delivery of a refund
 * that was made weeks later. No delivery may report on a document that no longer exists.
 */
export async function removeDeliveriesOf(cleaning: Cleaning, references: readonly string[]): Promise<void> {
  const { Delivery, testsBefore, isDry } = cleaning
  await removeTests(cleaning, 'deliveries', Delivery, {
    referenceNumber: { $in: references },
    // Older deliveries have already been counted by `removeDeliveries`.
    ...(isDry ? { createdAt: { $gte: testsBefore } } : {}),
    ...ended,
  })
}
