import type { Model, mongo } from 'mongoose'
import { findLastLink } from '../chains/append.ts'
import type { LoggedEvent } from '../events/logged-event.ts'
import { lifetimeMs } from '../idempotency/response.ts'
import type { Intent } from '../intents/intent.ts'
import type { LedgerEntry } from '../ledger/entry.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Order } from '../store/orders/order.ts'
import type { Product } from '../store/products/product.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { unusedAmong } from '../webhooks/endpoints/remove-deleted.ts'
import { batchLimits, type Cleaning, eachPage, type Kind } from './cleaning.ts'

/** Documents that belong to either the sandbox or the live environment. */
type Owned = Intent | Order | Product | Delivery | LedgerEntry | LoggedEvent
type Filter = Record<string, unknown>

/** An intent or an order. The reference of an order is its number. */
interface Subject {
  _id: string
  referenceNumber: string
}
type Ended = Subject & { payment: { key: string } | null }

const { maxTimeMS } = batchLimits

/** A filter for deliveries that have ended: no attempt is due or running. */
const endedDelivery = { nextAttemptAt: null }

/** A filter for documents whose events have all been relayed. */
const relayed = { 'outbox.0': { $exists: false } } as const

/**
 * A filter for intents that have ended and whose events have all been relayed. All other intents are kept, however old
 * they are. If such an intent has ended by the next clean-up, that clean-up removes it.
 */
const endedIntent = {
  status: { $ne: 'PENDING' },
  hold: null,
  'refunds.status': { $ne: 'PENDING' },
  ...relayed,
} as const

/** Passes the ids of a business's old test documents to `act`, oldest first. */
const eachOldTest = <Doc extends Owned & { createdAt: Date }>(
  { pace, businessId, testsBefore: before }: Cleaning,
  model: Model<Doc>,
  index: string,
  act: (ids: string[]) => Promise<void>,
  more: Filter = {},
): Promise<void> =>
  eachPage(pace, model, { index, where: { businessId, sandbox: true, ...more }, from: null, before }, act)

/** Removes a business's old test deliveries that have ended. */
const removeDeliveries = (cleaning: Cleaning): Promise<void> =>
  eachOldTest(cleaning, cleaning.Delivery, 'byTimeAndEvent', (ids) =>
    removeTests(cleaning, 'deliveries', cleaning.Delivery, { _id: { $in: ids }, ...endedDelivery }),
  )

/**
 * Removes a business's old test intents, with their deliveries, their events and their movements in the sandbox ledger.
 * First, `cleanedAt` is set, which hides the intent from the merchant, so that no refund can follow. The intent itself
 * is removed last, because the bodies of its deliveries and events are composed from the intent. If the run is killed
 * before it has removed the intent, the next clean-up uses the intent to find the remaining data. The balances of the
 * sandbox wallets do not change.
 */
const removeIntents = (cleaning: Cleaning): Promise<void> =>
  eachOldTest(cleaning, cleaning.Intent, 'byTime', async (ids) => {
    const found = await findIntents(cleaning, { _id: { $in: ids }, ...endedIntent, ...unneeded(cleaning) })
    const hidden = await hide(cleaning, await withoutOpenDeliveries(cleaning, found))
    await removeMovements(cleaning, hidden)
    await removeDeliveriesOf(cleaning, hidden)
    // Intents with an open delivery are kept, because a delivery may have been re-queued in the meantime.
    const removable = await withoutOpenDeliveries(cleaning, hidden)
    await removeEventsOf(cleaning, removable)
    await removeTests(cleaning, 'intents', cleaning.Intent, { ...withIdOf(removable), ...endedIntent })
  })

/** Removes a business's old test orders, with their deliveries and events. */
const removeOrders = (cleaning: Cleaning): Promise<void> =>
  eachOldTest(cleaning, cleaning.Order, 'byTime', async (ids) => {
    const found = await nativeCollection(cleaning.Order)
      .find<Subject>(
        { _id: { $in: ids }, sandbox: true, ...relayed },
        { projection: { referenceNumber: '$number' }, maxTimeMS },
      )
      .toArray()
    const delivered = await withoutOpenDeliveries(cleaning, found)
    await removeDeliveriesOf(cleaning, delivered)
    // Orders with an open delivery are kept, because a delivery may have been re-queued in the meantime.
    const removable = await withoutOpenDeliveries(cleaning, delivered)
    await removeEventsOf(cleaning, removable)
    await removeTests(cleaning, 'orders', cleaning.Order, { ...withIdOf(removable), ...relayed })
  })

/**
 * Removes a business's old test products, including deleted ones. The business's hidden sandbox shop is kept, because
 * it is only one small document.
 */
async function removeProducts(cleaning: Cleaning): Promise<void> {
  const { Product } = cleaning
  const remove = (ids: string[]) => removeTests(cleaning, 'products', Product, { _id: { $in: ids } })
  await eachOldTest(cleaning, Product, 'byTime', remove, { listed: true })
  await eachOldTest(cleaning, Product, 'deletions', remove, { deletedAt: { $type: 'date' } })
}

/**
 * Removes a business's old test events of endpoints, which belong to no intent or order, and the events that earlier
 * clean-ups only emptied.
 */
async function removeOtherEvents(cleaning: Cleaning): Promise<void> {
  const { businessId, testsBefore } = cleaning
  await removeEvents(cleaning, { businessId, event: 'endpoint.failing', createdAt: { $lt: testsBefore } })
  await removeEvents(cleaning, { referenceNumber: businessId })
}

/** Removes a business's deleted endpoints of both environments that have no deliveries left. */
function removeEndpoints(cleaning: Cleaning): Promise<void> {
  const { Endpoint, businessId, deletedBefore: before } = cleaning
  const deleted = { deletedAt: { $type: 'date', $lt: before } }
  return eachPage(
    cleaning.pace,
    Endpoint,
    { index: 'byTime', where: { businessId }, from: null, before },
    async (ids) => {
      const unused = await unusedAmong(Endpoint, [{ $match: { _id: { $in: ids }, ...deleted } }])
      await removeFrom(cleaning, 'endpoints', nativeCollection(Endpoint), { _id: { $in: unused }, ...deleted })
    },
  )
}

/** What the clean-up removes with each business's old data, in this order. */
export const removals = [
  removeDeliveries,
  removeIntents,
  removeOrders,
  removeOtherEvents,
  removeProducts,
  removeEndpoints,
]

const referencesOf = (subjects: Subject[]): string[] => subjects.map(({ referenceNumber }) => referenceNumber)

const withIdOf = (subjects: Subject[]) => ({ _id: { $in: subjects.map(({ _id }) => _id) } })

/**
 * A filter for intents that no repeated request needs any more (idempotency/response.ts; an hour is to spare), and that
 * were not paid late. The ledger is verified with the intents of payments that are not old.
 */
function unneeded({ now, paidBefore }: Cleaning) {
  const needed = { $gt: new Date(now().getTime() - lifetimeMs - 3_600_000) }
  return {
    createdAt: { $not: needed },
    marks: { $not: { $elemMatch: { at: needed } } },
    'payment.paidAt': { $not: { $gt: paidBefore } },
  }
}

const findIntents = ({ Intent: model }: Cleaning, filter: Filter): Promise<Ended[]> =>
  nativeCollection(model)
    .find<Ended>({ ...filter, sandbox: true }, { projection: { referenceNumber: 1, 'payment.key': 1 }, maxTimeMS })
    .toArray()

/**
 * Sets `cleanedAt` on those intents that still match the filter `endedIntent`, and frees their merchant's references.
 * Returns the intents whose `cleanedAt` is now set.
 */
async function hide(cleaning: Cleaning, intents: Ended[]): Promise<Ended[]> {
  const { Intent: model, isDry, now } = cleaning
  if (isDry) return intents
  const byId = withIdOf(intents)
  const visible = { ...byId, sandbox: true, ...endedIntent, ...unneeded(cleaning), cleanedAt: { $exists: false } }
  const hiding = { $set: { cleanedAt: now() }, $unset: { referenceKey: 1 } } as const
  await nativeCollection(model).updateMany(visible, hiding, { maxTimeMS })
  return findIntents(cleaning, { ...byId, cleanedAt: { $exists: true } })
}

/** Returns the test intents or orders whose deliveries have all ended. */
async function withoutOpenDeliveries<Kept extends Subject>({ Delivery }: Cleaning, subjects: Kept[]): Promise<Kept[]> {
  const open = await nativeCollection(Delivery)
    .find(
      { referenceNumber: { $in: referencesOf(subjects) }, sandbox: true, $nor: [endedDelivery] },
      { projection: { referenceNumber: 1 }, maxTimeMS },
    )
    .toArray()
  const held = new Set(open.map(({ referenceNumber }) => referenceNumber))
  return subjects.filter(({ referenceNumber }) => !held.has(referenceNumber))
}

/**
 * Removes the remaining deliveries of test intents or orders that are about to be removed. These are newer deliveries,
 * such as the delivery that reports a refund made weeks after the payment. No delivery may report on a document that no
 * longer exists.
 */
async function removeDeliveriesOf(cleaning: Cleaning, subjects: Subject[]): Promise<void> {
  const { Delivery, testsBefore, isDry } = cleaning
  await removeTests(cleaning, 'deliveries', Delivery, {
    referenceNumber: { $in: referencesOf(subjects) },
    // In a dry run, `removeDeliveries` has already counted the older deliveries.
    ...(isDry ? { createdAt: { $gte: testsBefore } } : {}),
    ...endedDelivery,
  })
}

/**
 * Removes the rows of the sandbox ledger for the payments and refunds of test intents. The ledger contains no live
 * payments.
 */
async function removeMovements(cleaning: Cleaning, intents: Ended[]): Promise<void> {
  const keys = intents.flatMap(({ payment }) => payment?.key ?? [])
  const filter = { $or: [{ _id: { $in: keys } }, { paymentKey: { $in: keys } }] }
  await removeFrom(cleaning, 'movements', nativeCollection(cleaning.WalletMovement), filter)
}

/** Removes the events of test intents or orders that are about to be removed from the event log. */
async function removeEventsOf(cleaning: Cleaning, subjects: Subject[]): Promise<void> {
  if (subjects.length > 0) await removeEvents(cleaning, { referenceNumber: { $in: referencesOf(subjects) } })
}

/**
 * Removes test events. The last event of the log is kept without its contents, because the number of the next event
 * follows from it. A later clean-up removes that event.
 */
async function removeEvents(cleaning: Cleaning, filter: mongo.Filter<LoggedEvent>): Promise<void> {
  const { LoggedEvent: model, businessId, isDry } = cleaning
  const collection = nativeCollection(model)
  const last = await findLastLink(collection, { businessId, sandbox: true })
  if (last === null) return
  if (!isDry)
    await collection.updateOne(
      { ...filter, _id: last._id },
      { $set: { event: 'cleaned', referenceNumber: businessId, facts: { status: 'cleaned' } } },
      { maxTimeMS },
    )
  await removeTests(cleaning, 'events', model, { ...filter, _id: { $ne: last._id } })
}

/** Deletes the test documents that match the filter. Live documents are never deleted, whatever the filter contains. */
export async function removeTests<Doc extends Owned>(
  cleaning: Cleaning,
  kind: Kind,
  model: Model<Doc>,
  filter: Filter,
): Promise<void> {
  const collection = nativeCollection(model as unknown as Model<Owned>)
  await removeFrom(cleaning, kind, collection, { ...filter, sandbox: true })
}

async function removeFrom<Doc extends mongo.Document>(
  { isDry, count }: Cleaning,
  kind: Kind,
  collection: mongo.Collection<Doc>,
  filter: Filter,
): Promise<void> {
  const typed = filter as mongo.Filter<Doc>
  if (isDry) return count(kind, await collection.countDocuments(typed, { maxTimeMS }))
  count(kind, (await collection.deleteMany(typed, { maxTimeMS })).deletedCount)
}
