import { lifetimeMs } from '../idempotency/response.ts'
import type { Intent } from '../intents/intent.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachPage } from './each-page.ts'
import { removeMovements, removeTests } from './remove.ts'
import { removeDeliveriesOf, undelivered } from './remove-deliveries.ts'
import { removeEventsOf } from './remove-events.ts'

const { maxTimeMS } = batchLimits

/**
 * A filter for intents that have ended and whose events have all been relayed. All other intents are kept, however old
 * they are. If such an intent has ended by the next clean-up, that clean-up removes it.
 */
const ended = {
  status: { $ne: 'PENDING' },
  hold: null,
  'refunds.status': { $ne: 'PENDING' },
  'outbox.0': { $exists: false },
} as const

/** A filter for intents that no repeated request needs any more (idempotency/response.ts). An hour is to spare. */
function unneeded(now: Date) {
  const needed = { $gt: new Date(now.getTime() - lifetimeMs - 3_600_000) }
  return { createdAt: { $not: needed }, marks: { $not: { $elemMatch: { at: needed } } } }
}

const neededFields = { sandbox: 1, referenceNumber: 1, 'payment.key': 1 } as const
type Ended = Pick<Intent, '_id' | 'sandbox' | 'referenceNumber'> & { payment: { key: string } | null }

/**
 * Removes a business's old test intents, with their deliveries, their events and their movements in the sandbox ledger.
 * First, `cleanedAt` is set, which hides the intent from the merchant, so that no refund can follow. The intent itself
 * is removed last, because the bodies of its deliveries and events are composed from the intent. If the run is killed
 * before it has removed the intent, the next clean-up uses the intent to find the remaining data. The balances of the
 * sandbox wallets do not change.
 */
export function removeIntents(cleaning: Cleaning): Promise<void> {
  const { Intent: model, businessId, testsBefore } = cleaning
  const walk = { index: 'byTime', where: { businessId, sandbox: true }, from: null, before: testsBefore }
  return eachPage(cleaning.pace, model, walk, async (ids) => {
    const found = await find(cleaning, { _id: { $in: ids }, ...ended, ...unneeded(cleaning.now()) })
    const held = await undelivered(cleaning, referencesOf(found))
    const hidden = await hide(
      cleaning,
      found.filter(({ referenceNumber }) => !held.has(referenceNumber)),
    )
    await removeMovements(cleaning, hidden)
    await removeDeliveriesOf(cleaning, referencesOf(hidden))
    // Intents with an open delivery are kept, because a delivery may have been re-queued in the meantime.
    const requeued = await undelivered(cleaning, referencesOf(hidden))
    const removable = hidden.filter(({ referenceNumber }) => !requeued.has(referenceNumber))
    await removeEventsOf(cleaning, referencesOf(removable))
    await removeTests(cleaning, 'intents', model, { _id: { $in: removable.map(({ _id }) => _id) }, ...ended })
  })
}

const referencesOf = (intents: Ended[]): string[] => intents.map(({ referenceNumber }) => referenceNumber)

const find = ({ Intent: model }: Cleaning, filter: Record<string, unknown>): Promise<Ended[]> =>
  model
    .find({ ...filter, sandbox: true }, neededFields)
    .maxTimeMS(maxTimeMS)
    .lean<Ended[]>()

/**
 * Sets `cleanedAt` on those intents that still match the filter `ended`, and frees their merchant's references. Returns
 * the intents whose `cleanedAt` is now set.
 */
async function hide(cleaning: Cleaning, intents: Ended[]): Promise<Ended[]> {
  const { Intent: model, isDry, now } = cleaning
  if (isDry) return intents
  const byId = { _id: { $in: intents.map(({ _id }) => _id) } }
  const visible = { ...byId, sandbox: true, ...ended, ...unneeded(now()), cleanedAt: { $exists: false } }
  const hiding = { $set: { cleanedAt: now() }, $unset: { referenceKey: 1 } } as const
  await nativeCollection(model).updateMany(visible, hiding, { maxTimeMS })
  return find(cleaning, { ...byId, cleanedAt: { $exists: true } })
}
