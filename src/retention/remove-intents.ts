import type { Intent } from '../intents/intent.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachPage } from './each-page.ts'
import { removeMovements, removeTests } from './remove.ts'
import { removeDeliveriesOf, undelivered } from './remove-deliveries.ts'

const { maxTimeMS } = batchLimits

/**
 * A filter: the intent has ended, and all its events are relayed. Any other intent stays, however old it is. Once the
 * cause is repaired and the intent has ended, the next clean-up removes it.
 */
const ended = {
  status: { $ne: 'PENDING' },
  hold: null,
  'refunds.status': { $ne: 'PENDING' },
  'outbox.0': { $exists: false },
} as const

const neededFields = { sandbox: 1, referenceNumber: 1, 'payment.key': 1 } as const
type Ended = Pick<Intent, '_id' | 'sandbox' | 'referenceNumber'> & { payment: { key: string } | null }

/**
 * Removes the old test intents of a business, with their deliveries and movements. First it sets `cleanedAt`, which
 * hides the intent from its merchant, so that no refund can follow. It removes the intent itself last: delivery bodies
 * are composed from the intent, and after a kill the next clean-up finds the rest through the intent. The wallets keep
 * their balances.
 */
export function removeIntents(cleaning: Cleaning): Promise<void> {
  const { Intent: model, businessId, testsBefore } = cleaning
  const walk = { index: 'byTime', where: { businessId, sandbox: true }, from: null, before: testsBefore }
  return eachPage(cleaning.pace, model, walk, async (ids) => {
    const found = await find(cleaning, { _id: { $in: ids }, ...ended })
    const held = await undelivered(cleaning, referencesOf(found))
    const hidden = await hide(
      cleaning,
      found.filter(({ referenceNumber }) => !held.has(referenceNumber)),
    )
    await removeMovements(cleaning, hidden)
    await removeDeliveriesOf(cleaning, referencesOf(hidden))
    // A delivery may have been re-queued meanwhile.
    const requeued = await undelivered(cleaning, referencesOf(hidden))
    const removable = hidden.filter(({ referenceNumber }) => !requeued.has(referenceNumber))
    await removeTests(cleaning, 'intents', model, { _id: { $in: removable.map(({ _id }) => _id) }, ...ended })
  })
}

const referencesOf = (intents: Ended[]): string[] => intents.map(({ referenceNumber }) => referenceNumber)

const find = ({ Intent: model }: Cleaning, filter: Record<string, unknown>): Promise<Ended[]> =>
  model
    .find({ ...filter, sandbox: true }, neededFields)
    .maxTimeMS(maxTimeMS)
    .lean<Ended[]>()

/** Sets `cleanedAt` with a guarded write. Returns the intents that have it now. */
async function hide(cleaning: Cleaning, intents: Ended[]): Promise<Ended[]> {
  const { Intent: model, isDry, now } = cleaning
  if (isDry) return intents
  const byId = { _id: { $in: intents.map(({ _id }) => _id) } }
  const visible = { ...byId, sandbox: true, ...ended, cleanedAt: { $exists: false } }
  await nativeCollection(model).updateMany(visible, { $set: { cleanedAt: now() } }, { maxTimeMS })
  return find(cleaning, { ...byId, cleanedAt: { $exists: true } })
}
