import type { Intent } from '../intents/intent.ts'
import type { Cleaning } from './cleaning.ts'
import { eachPage } from './each-page.ts'
import { removeMovements, removeTests } from './remove.ts'
import { removeDeliveriesOf } from './remove-deliveries.ts'

/**
 * It has come to its end, and everybody was told. One that has not stays however old it is: whatever keeps it from its end must be mended, and
 * it goes the night after.
 */
const ended = {
  status: { $ne: 'PENDING' },
  underWay: null,
  'refunds.status': { $ne: 'PENDING' },
  'outbox.0': { $exists: false },
} as const

const neededFields = { referenceNumber: 1, 'payment.key': 1 } as const
type Ended = Pick<Intent, '_id' | 'referenceNumber'> & { payment: { key: string } | null }

/**
 * The test intents of a business that are old, with their deliveries and what their payments moved: the intent last, so that what a killed
 * clean-up leaves is found by it. The wallets keep their balances: what was paid stays paid.
 */
export function removeIntents(cleaning: Cleaning, businessId: string): Promise<void> {
  const { Intent: model, testsBefore } = cleaning
  const walk = { index: 'byTime', where: { businessId, sandbox: true }, from: null, before: testsBefore }
  return eachPage(cleaning.pace, model, walk, async (ids) => {
    const found = await model
      .find({ _id: { $in: ids }, sandbox: true, ...ended }, neededFields)
      .lean<Ended[]>()
    const held = await removeDeliveriesOf(
      cleaning,
      found.map(({ referenceNumber }) => referenceNumber),
    )
    const going = found.filter(({ referenceNumber }) => !held.has(referenceNumber))
    const keys = going.flatMap(({ payment }) => payment?.key ?? [])
    await removeMovements(cleaning, { $or: [{ _id: { $in: keys } }, { paymentKey: { $in: keys } }] })
    await removeTests(cleaning, 'intents', model, { _id: { $in: going.map(({ _id }) => _id) }, ...ended })
  })
}
