import { free } from '../webhooks/deliveries/lease.ts'
import type { Cleaning } from './cleaning.ts'
import { eachPage } from './each-page.ts'
import { removeTests } from './remove.ts'

/** No attempt is to come or under way, and the audit trail has all its lines. */
const ended = (now: Date) => ({
  nextAttemptAt: null,
  'unaudited.0': { $exists: false },
  ...free(now),
})

/** The test deliveries of a business that are old, and have ended. */
export function removeDeliveries(cleaning: Cleaning, businessId: string): Promise<void> {
  const { Delivery, testsBefore, now } = cleaning
  const walk = {
    index: 'byTimeAndEvent',
    where: { businessId, sandbox: true },
    from: null,
    before: testsBefore,
  }
  return eachPage(cleaning.pace, Delivery, walk, (ids) =>
    removeTests(cleaning, 'deliveries', Delivery, { _id: { $in: ids }, ...ended(now) }),
  )
}

/**
 * The younger deliveries of test intents or orders that are about to go: a refund may have told of one weeks later, and nobody shall meet a
 * delivery that tells of nothing. Answers those of the references that must stay, because a delivery of theirs has not ended.
 */
export async function removeDeliveriesOf(
  cleaning: Cleaning,
  references: readonly string[],
): Promise<Set<string>> {
  const { Delivery, testsBefore, now } = cleaning
  const theirs = { referenceNumber: { $in: references }, sandbox: true }
  const open = await Delivery.find({ ...theirs, $nor: [ended(now)] }, { referenceNumber: 1 }).lean<
    { referenceNumber: string }[]
  >()
  const held = new Set(open.map(({ referenceNumber }) => referenceNumber))
  await removeTests(cleaning, 'deliveries', Delivery, {
    referenceNumber: { $in: references.filter((reference) => !held.has(reference)) },
    createdAt: { $gte: testsBefore },
    ...ended(now),
  })
  return held
}
