import type { Intent } from '../intents/intent.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachPage } from './each-page.ts'
import { removeMovements, removeTests } from './remove.ts'
import { removeDeliveriesOf, undelivered } from './remove-deliveries.ts'

const { maxTimeMS } = batchLimits

/**
 * It has come to its end, and everybody was told. One that has not stays however old it is: whatever keeps it from its end must be mended, and
 * it goes the night after.
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
 * The test intents of a business that are old, with their deliveries and what their payments moved. First each gets a mark, by which it is gone
 * for its merchant: nobody can refund any more what is about to lose its movements. The intent itself goes last: the bodies of its
 * deliveries are composed from it, and what a killed clean-up leaves is found by it. The wallets keep their balances: what was paid stays paid.
 */
export function removeIntents(cleaning: Cleaning): Promise<void> {
  const { Intent: model, businessId, testsBefore } = cleaning
  const walk = { index: 'byTime', where: { businessId, sandbox: true }, from: null, before: testsBefore }
  return eachPage(cleaning.pace, model, walk, async (ids) => {
    const found = await find(cleaning, { _id: { $in: ids }, ...ended })
    const held = await undelivered(cleaning, referencesOf(found))
    const going = await mark(
      cleaning,
      found.filter(({ referenceNumber }) => !held.has(referenceNumber)),
    )
    await removeMovements(cleaning, going)
    await removeDeliveriesOf(cleaning, referencesOf(going))
    // Somebody may have sent one again since.
    const late = await undelivered(cleaning, referencesOf(going))
    const last = going.filter(({ referenceNumber }) => !late.has(referenceNumber))
    await removeTests(cleaning, 'intents', model, { _id: { $in: last.map(({ _id }) => _id) }, ...ended })
  })
}

const referencesOf = (intents: Ended[]): string[] => intents.map(({ referenceNumber }) => referenceNumber)

const find = ({ Intent: model }: Cleaning, which: Record<string, unknown>): Promise<Ended[]> =>
  model
    .find({ ...which, sandbox: true }, neededFields)
    .maxTimeMS(maxTimeMS)
    .lean<Ended[]>()

/** Decides, in one guarded write each, and answers those that go. */
async function mark(cleaning: Cleaning, intents: Ended[]): Promise<Ended[]> {
  const { Intent: model, isDry, now } = cleaning
  if (isDry) return intents
  const these = { _id: { $in: intents.map(({ _id }) => _id) } }
  const unmarked = { ...these, sandbox: true, ...ended, cleanedAt: { $exists: false } }
  await nativeCollection(model).updateMany(unmarked, { $set: { cleanedAt: now() } }, { maxTimeMS })
  return find(cleaning, { ...these, cleanedAt: { $exists: true } })
}
