import type { Model } from 'mongoose'
import { findChainEnd } from '../chains/append.ts'
import { idempotencyKeyMs } from '../idempotency/request.ts'
import { closeLedgerDays } from '../ledger/book.ts'
import { rawCollection } from '../mongo/collection.ts'
import { readTimeoutMs } from '../mongo/connect.ts'
import { findUnusedEndpoints } from '../webhooks/endpoints/stop-deliveries.ts'
import { type BusinessCleanUp, type CleanedKind, cleanedModels } from './cleaning.ts'

export type CleanUpFilter = Record<string, unknown>

interface Subject {
  _id: string
  referenceNumber: string
}
type Ended = Subject & { payment: { key: string } | null }

/** Removing 500 documents takes 20 to 150 ms. */
export const removalLimits = { documents: 500, maxTimeMS: readTimeoutMs } as const
const { maxTimeMS } = removalLimits

export const endedDeliveryFilter = { nextAttemptAt: null }

const relayed = { 'outbox.0': { $exists: false } } as const

/** All other intents are kept, however old they are. */
const endedIntent = {
  status: { $ne: 'PENDING' },
  hold: null,
  'refunds.status': { $ne: 'PENDING' },
  ...relayed,
} as const

/**
 * Hides the intents first, so that no refund can follow. Removes them last,
 * because the next clean-up finds leftover data through them.
 */
export async function removeIntents(cleaning: BusinessCleanUp, page: CleanUpFilter): Promise<void> {
  const found = await findIntents(cleaning, { ...page, ...endedIntent, ...unneeded(cleaning) })
  const hidden = await hide(cleaning, await withoutOpenDeliveries(cleaning, found))
  await removeMovements(cleaning, hidden)
  await removeDeliveriesOf(cleaning, hidden)
  const removable = await withoutOpenDeliveries(cleaning, hidden)
  await removeEventsOf(cleaning, removable)
  await removeTestData(cleaning, 'intents', { ...withIdOf(removable), ...endedIntent })
}

export async function removeOrders(cleaning: BusinessCleanUp, page: CleanUpFilter): Promise<void> {
  const projection = { referenceNumber: '$number' }
  const found = await rawCollection(cleaning.Order)
    .find<Subject>({ ...page, sandbox: true, ...relayed }, { projection, maxTimeMS })
    .toArray()
  const delivered = await withoutOpenDeliveries(cleaning, found)
  await removeDeliveriesOf(cleaning, delivered)
  const removable = await withoutOpenDeliveries(cleaning, delivered)
  await removeEventsOf(cleaning, removable)
  await removeTestData(cleaning, 'orders', { ...withIdOf(removable), ...relayed })
}

export async function removeEndpoints(cleaning: BusinessCleanUp, page: CleanUpFilter): Promise<void> {
  const deleted = { deletedAt: { $type: 'date', $lt: cleaning.endpointsBefore } }
  const unused = await findUnusedEndpoints(cleaning.Endpoint, [{ $match: { ...page, ...deleted } }])
  await removeFrom(cleaning, 'endpoints', { _id: { $in: unused }, ...deleted })
}

/** The closing markers stay, because they contain the statements. */
export async function removeEntries(cleaning: BusinessCleanUp, page: CleanUpFilter): Promise<void> {
  if (!cleaning.isDry) await closeLedgerDays(cleaning, { businessId: cleaning.businessId, sandbox: true })
  await removeTestData(cleaning, 'entries', page)
}

const referencesOf = (subjects: Subject[]): string[] => subjects.map(({ referenceNumber }) => referenceNumber)

const withIdOf = (subjects: Subject[]) => ({ _id: { $in: subjects.map(({ _id }) => _id) } })

/** Repeated requests and ledger verification still need all other intents. */
function unneeded({ now, paidBefore }: BusinessCleanUp) {
  const needed = { $gt: new Date(now().getTime() - idempotencyKeyMs - 3_600_000) }
  return {
    createdAt: { $not: needed },
    marks: { $not: { $elemMatch: { at: needed } } },
    'payment.paidAt': { $not: { $gt: paidBefore } },
  }
}

const endedFields = { referenceNumber: 1, 'payment.key': 1 }

const findIntents = ({ Intent: model }: BusinessCleanUp, filter: CleanUpFilter): Promise<Ended[]> =>
  rawCollection(model)
    .find<Ended>({ ...filter, sandbox: true }, { projection: endedFields, maxTimeMS })
    .toArray()

async function hide(cleaning: BusinessCleanUp, intents: Ended[]): Promise<Ended[]> {
  const { Intent: model, isDry, now } = cleaning
  if (isDry) return intents
  const byId = withIdOf(intents)
  const removable = { ...byId, sandbox: true, ...endedIntent, ...unneeded(cleaning) }
  const visible = { ...removable, cleanedAt: { $exists: false } }
  const hiding = { $set: { cleanedAt: now() }, $unset: { referenceKey: 1 } } as const
  await rawCollection(model).updateMany(visible, hiding, { maxTimeMS })
  return findIntents(cleaning, { ...byId, cleanedAt: { $exists: true } })
}

async function withoutOpenDeliveries<Kept extends Subject>({ Delivery }: BusinessCleanUp, subjects: Kept[]) {
  const references = { $in: referencesOf(subjects) }
  const filter = { referenceNumber: references, sandbox: true, $nor: [endedDeliveryFilter] }
  const options = { projection: { referenceNumber: 1 }, maxTimeMS }
  const open = await rawCollection(Delivery).find(filter, options).toArray()
  const held = new Set(open.map(({ referenceNumber }) => referenceNumber))
  return subjects.filter(({ referenceNumber }) => !held.has(referenceNumber))
}

/** Includes newer deliveries, e.g. for a refund weeks after the payment. */
async function removeDeliveriesOf(cleaning: BusinessCleanUp, subjects: Subject[]): Promise<void> {
  const { testsBefore, isDry } = cleaning
  await removeTestData(cleaning, 'deliveries', {
    referenceNumber: { $in: referencesOf(subjects) },
    // A dry run has already counted the older deliveries.
    ...(isDry ? { createdAt: { $gte: testsBefore } } : {}),
    ...endedDeliveryFilter,
  })
}

async function removeMovements(cleaning: BusinessCleanUp, intents: Ended[]): Promise<void> {
  const keys = intents.flatMap(({ payment }) => payment?.key ?? [])
  await removeFrom(cleaning, 'movements', { $or: [{ _id: { $in: keys } }, { paymentKey: { $in: keys } }] })
}

async function removeEventsOf(cleaning: BusinessCleanUp, subjects: Subject[]): Promise<void> {
  if (subjects.length > 0) await removeEvents(cleaning, { referenceNumber: { $in: referencesOf(subjects) } })
}

/** Keeps the last event, because the next event's number is derived from it. */
export async function removeEvents(cleaning: BusinessCleanUp, filter: CleanUpFilter): Promise<void> {
  const { LoggedEvent: model, businessId, isDry } = cleaning
  const collection = rawCollection(model)
  const last = await findChainEnd(collection, { businessId, sandbox: true })
  if (last === null) return
  if (!isDry)
    await collection.updateOne(
      { $and: [filter, { _id: last._id }] },
      { $set: { event: 'cleaned', referenceNumber: businessId, facts: { status: 'cleaned' } } },
      { maxTimeMS },
    )
  await removeTestData(cleaning, 'events', { $and: [filter, { _id: { $ne: last._id } }] })
}

const untrimmed = {
  $or: [{ 'attemptLog.1': { $exists: true } }, { 'attemptLog.responseText': { $type: 'string' } }],
}
/** Lists and pages show the last attempt, but not the endpoint's response. */
const lastOnly = [
  { $set: { attemptLog: { $slice: ['$attemptLog', -1] } } },
  { $unset: ['attemptLog.responseText', 'untrimmed'] },
]

export async function trimAttempts(cleaning: BusinessCleanUp, filter: CleanUpFilter): Promise<void> {
  const { Delivery, isDry, count } = cleaning
  const old = { ...filter, sandbox: false, ...endedDeliveryFilter }
  if (isDry) return count('attempts', await rawCollection(Delivery).countDocuments(old, { maxTimeMS }))
  count('attempts', (await rawCollection(Delivery).updateMany(old, lastOnly, { maxTimeMS })).modifiedCount)
}

/** Flags open deliveries first, because some may finish in the meantime. */
export async function trimOrFlagPage(cleaning: BusinessCleanUp, page: CleanUpFilter): Promise<void> {
  const open = { ...page, sandbox: false, nextAttemptAt: { $type: 'date' } } as const
  if (!cleaning.isDry)
    await rawCollection(cleaning.Delivery).updateMany(open, { $set: { untrimmed: true } }, { maxTimeMS })
  await trimAttempts(cleaning, { ...page, ...untrimmed })
}

/** Never deletes live documents, whatever the filter contains. */
export const removeTestData = (
  cleaning: BusinessCleanUp,
  kind: CleanedKind,
  filter: CleanUpFilter,
): Promise<void> => removeFrom(cleaning, kind, { ...filter, sandbox: true })

async function removeFrom(cleaning: BusinessCleanUp, kind: CleanedKind, filter: CleanUpFilter) {
  const { isDry, count } = cleaning
  const collection = rawCollection(cleaning[cleanedModels[kind]] as unknown as Model<CleanUpFilter>)
  if (isDry) return count(kind, await collection.countDocuments(filter, { maxTimeMS }))
  count(kind, (await collection.deleteMany(filter, { maxTimeMS })).deletedCount)
}
