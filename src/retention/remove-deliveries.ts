import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachPage } from './each-page.ts'
import { removeTests } from './remove.ts'

/** No attempt is to come or in flight, and the audit trail has all its lines. */
const ended = { nextAttemptAt: null, 'unaudited.0': { $exists: false } }

/** The test deliveries of a business that are old, and have ended. */
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

/** Those of the references of test intents or orders that must stay, because a delivery of theirs has not ended. */
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
 * What is left of the deliveries of test intents or orders that are about to go: a refund may have told of one weeks later, and nobody shall
 * meet a delivery that tells of nothing.
 */
export async function removeDeliveriesOf(cleaning: Cleaning, references: readonly string[]): Promise<void> {
  const { Delivery, testsBefore, isDry } = cleaning
  await removeTests(cleaning, 'deliveries', Delivery, {
    referenceNumber: { $in: references },
    // The older ones were counted on their own.
    ...(isDry ? { createdAt: { $gte: testsBefore } } : {}),
    ...ended,
  })
}
