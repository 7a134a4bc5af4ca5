import type { Model } from 'mongoose'
import { findLastLink } from '../chains/append.ts'
import { keyLifetimeMs } from '../idempotency/request.ts'
import { closeDays } from '../ledger/book.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { unusedAmong } from '../webhooks/endpoints/stop-deliveries.ts'
import { type Cleaning, type Kind, modelOf } from './cleaning.ts'

export type Filter = Record<string, unknown>

/** An intent or an order. The reference of an order is its number. */
interface Subject {
  _id: string
  referenceNumber: string
}
type Ended = Subject & { payment: { key: string } | null }

/**
 * The limits of one page. Removing 500 documents takes 20 to 150 ms, so other writes do not have to wait long. Smaller
 * pages remove less and delay other writes as much. MongoDB stops each call before the driver's timeout of 5 s is
 * reached, so no call keeps running after the driver has given up on it.
 */
export const batchLimits = { documents: 500, maxTimeMS: 4_000 } as const
const { maxTimeMS } = batchLimits

/** No attempt is due or running. */
export const endedDelivery = { nextAttemptAt: null }

/** All events have been relayed. */
const relayed = { 'outbox.0': { $exists: false } } as const

/** Intents that have ended and whose events are relayed. The others are kept, however old they are. */
const endedIntent = {
  status: { $ne: 'PENDING' },
  hold: null,
  'refunds.status': { $ne: 'PENDING' },
  ...relayed,
} as const

/**
 * Removes test intents, with their deliveries, their events and their movements in the sandbox ledger. First,
 * `cleanedAt` is set, which hides the intent from the merchant, so that no refund can follow. The intent itself is
 * removed last, because the bodies of its deliveries and events are composed from the intent. If the run is killed
 * before it has removed the intent, the next clean-up uses the intent to find the remaining data. The balances of the
 * sandbox wallets do not change.
 */
export async function removeIntents(cleaning: Cleaning, page: Filter): Promise<void> {
  const found = await findIntents(cleaning, { ...page, ...endedIntent, ...unneeded(cleaning) })
  const hidden = await hide(cleaning, await withoutOpenDeliveries(cleaning, found))
  await removeMovements(cleaning, hidden)
  await removeDeliveriesOf(cleaning, hidden)
  // Intents with an open delivery are kept, because a delivery may have been re-queued in the meantime.
  const removable = await withoutOpenDeliveries(cleaning, hidden)
  await removeEventsOf(cleaning, removable)
  await removeTests(cleaning, 'intents', { ...withIdOf(removable), ...endedIntent })
}

/** Removes test orders, with their deliveries and events. */
export async function removeOrders(cleaning: Cleaning, page: Filter): Promise<void> {
  const projection = { referenceNumber: '$number' }
  const found = await nativeCollection(cleaning.Order)
    .find<Subject>({ ...page, sandbox: true, ...relayed }, { projection, maxTimeMS })
    .toArray()
  const delivered = await withoutOpenDeliveries(cleaning, found)
  await removeDeliveriesOf(cleaning, delivered)
  const removable = await withoutOpenDeliveries(cleaning, delivered)
  await removeEventsOf(cleaning, removable)
  await removeTests(cleaning, 'orders', { ...withIdOf(removable), ...relayed })
}

/** Removes deleted endpoints of both environments that have no deliveries left. */
export async function removeEndpoints(cleaning: Cleaning, page: Filter): Promise<void> {
  const deleted = { deletedAt: { $type: 'date', $lt: cleaning.endpointsBefore } }
  const unused = await unusedAmong(cleaning.Endpoint, [{ $match: { ...page, ...deleted } }])
  await removeFrom(cleaning, 'endpoints', { _id: { $in: unused }, ...deleted })
}

/**
 * Removes entries of the test ledger. First closes all days before today, so that the closing markers, which are kept,
 * contain the statements of the removed entries and the balance.
 */
export async function removeEntries(cleaning: Cleaning, page: Filter): Promise<void> {
  if (!cleaning.isDry) await closeDays(cleaning, { businessId: cleaning.businessId, sandbox: true })
  await removeTests(cleaning, 'entries', page)
}

const referencesOf = (subjects: Subject[]): string[] => subjects.map(({ referenceNumber }) => referenceNumber)

const withIdOf = (subjects: Subject[]) => ({ _id: { $in: subjects.map(({ _id }) => _id) } })

/**
 * A filter for intents that no repeated request needs any more (idempotency/request.ts; an hour is to spare), and that
 * were not paid late. The ledger is verified with the intents of payments that are not old.
 */
function unneeded({ now, paidBefore }: Cleaning) {
  const needed = { $gt: new Date(now().getTime() - keyLifetimeMs - 3_600_000) }
  return {
    createdAt: { $not: needed },
    marks: { $not: { $elemMatch: { at: needed } } },
    'payment.paidAt': { $not: { $gt: paidBefore } },
  }
}

const findIntents = ({ Intent: model }: Cleaning, filter: Filter): Promise<Ended[]> =>
  nativeCollection(model)
    .find<Ended>(
      { ...filter, sandbox: true },
      { projection: { referenceNumber: 1, 'payment.key': 1 }, maxTimeMS },
    )
    .toArray()

/** Hides those that are still removable, and frees their merchant's references. Returns the hidden ones. */
async function hide(cleaning: Cleaning, intents: Ended[]): Promise<Ended[]> {
  const { Intent: model, isDry, now } = cleaning
  if (isDry) return intents
  const byId = withIdOf(intents)
  const visible = {
    ...byId,
    sandbox: true,
    ...endedIntent,
    ...unneeded(cleaning),
    cleanedAt: { $exists: false },
  }
  const hiding = { $set: { cleanedAt: now() }, $unset: { referenceKey: 1 } } as const
  await nativeCollection(model).updateMany(visible, hiding, { maxTimeMS })
  return findIntents(cleaning, { ...byId, cleanedAt: { $exists: true } })
}

/** Returns the test intents or orders whose deliveries have all ended. */
async function withoutOpenDeliveries<Kept extends Subject>(
  { Delivery }: Cleaning,
  subjects: Kept[],
): Promise<Kept[]> {
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
 * Removes the other deliveries of test intents or orders that are about to be removed: newer ones, such as that of a
 * refund weeks after the payment. No delivery may report on a document that no longer exists.
 */
async function removeDeliveriesOf(cleaning: Cleaning, subjects: Subject[]): Promise<void> {
  const { testsBefore, isDry } = cleaning
  await removeTests(cleaning, 'deliveries', {
    referenceNumber: { $in: referencesOf(subjects) },
    // A dry run has already counted the older deliveries.
    ...(isDry ? { createdAt: { $gte: testsBefore } } : {}),
    ...endedDelivery,
  })
}

/** The sandbox ledger's rows for the payments and refunds. There are none of live payments. */
async function removeMovements(cleaning: Cleaning, intents: Ended[]): Promise<void> {
  const keys = intents.flatMap(({ payment }) => payment?.key ?? [])
  await removeFrom(cleaning, 'movements', { $or: [{ _id: { $in: keys } }, { paymentKey: { $in: keys } }] })
}

/** Removes the events of test intents or orders that are about to be removed from the event log. */
async function removeEventsOf(cleaning: Cleaning, subjects: Subject[]): Promise<void> {
  if (subjects.length > 0) await removeEvents(cleaning, { referenceNumber: { $in: referencesOf(subjects) } })
}

/**
 * Removes test events. The last event of the log is kept without its contents, because the number of the next event
 * follows from it. A later clean-up removes that event.
 */
export async function removeEvents(cleaning: Cleaning, filter: Filter): Promise<void> {
  const { LoggedEvent: model, businessId, isDry } = cleaning
  const collection = nativeCollection(model)
  const last = await findLastLink(collection, { businessId, sandbox: true })
  if (last === null) return
  if (!isDry)
    await collection.updateOne(
      { $and: [filter, { _id: last._id }] },
      { $set: { event: 'cleaned', referenceNumber: businessId, facts: { status: 'cleaned' } } },
      { maxTimeMS },
    )
  await removeTests(cleaning, 'events', { $and: [filter, { _id: { $ne: last._id } }] })
}

/** Deliveries that contain more than one attempt, or an endpoint's response. */
const untrimmed = {
  $or: [{ 'attemptLog.1': { $exists: true } }, { 'attemptLog.responseText': { $type: 'string' } }],
}
/** Keeps only the last attempt, because lists and pages show it, but without the endpoint's response. */
const lastOnly = [
  { $set: { attemptLog: { $slice: ['$attemptLog', -1] } } },
  { $unset: ['attemptLog.responseText', 'untrimmed'] },
]

/** Removes the attempts of live deliveries that have ended. */
export async function trim(cleaning: Cleaning, filter: Filter): Promise<void> {
  const { Delivery, isDry, count } = cleaning
  const old = { ...filter, sandbox: false, ...endedDelivery }
  if (isDry) return count('attempts', await nativeCollection(Delivery).countDocuments(old, { maxTimeMS }))
  count('attempts', (await nativeCollection(Delivery).updateMany(old, lastOnly, { maxTimeMS })).modifiedCount)
}

/**
 * Trims those that have ended, and flags the others, so that the first clean-up after their end trims them. Flagging
 * comes first: if a delivery ends between the two calls, the second one trims it and clears its flag.
 */
export async function trimOrFlag(cleaning: Cleaning, page: Filter): Promise<void> {
  const open = { ...page, sandbox: false, nextAttemptAt: { $type: 'date' } } as const
  if (!cleaning.isDry)
    await nativeCollection(cleaning.Delivery).updateMany(open, { $set: { untrimmed: true } }, { maxTimeMS })
  await trim(cleaning, { ...page, ...untrimmed })
}

/** Deletes the test documents that match the filter. Live documents are never deleted, whatever the filter contains. */
export const removeTests = (cleaning: Cleaning, kind: Kind, filter: Filter): Promise<void> =>
  removeFrom(cleaning, kind, { ...filter, sandbox: true })

async function removeFrom(cleaning: Cleaning, kind: Kind, filter: Filter): Promise<void> {
  const { isDry, count } = cleaning
  const collection = nativeCollection(cleaning[modelOf[kind]] as unknown as Model<Filter>)
  if (isDry) return count(kind, await collection.countDocuments(filter, { maxTimeMS }))
  count(kind, (await collection.deleteMany(filter, { maxTimeMS })).deletedCount)
}
