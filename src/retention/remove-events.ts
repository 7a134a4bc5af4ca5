import type { mongo } from 'mongoose'
import { findLast } from '../chains/append.ts'
import type { LoggedEvent } from '../events/logged-event.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits } from './each-page.ts'
import { removeTests } from './remove.ts'

/** Removes the events of test intents or orders that are about to be removed from the event log. */
export async function removeEventsOf(cleaning: Cleaning, references: readonly string[]): Promise<void> {
  if (references.length > 0) await removeEvents(cleaning, { referenceNumber: { $in: references } })
}

/**
 * Removes a business's old test events of endpoints, which belong to no intent or order, and the events that earlier
 * clean-ups only emptied.
 */
export async function removeOtherEvents(cleaning: Cleaning): Promise<void> {
  const { businessId, testsBefore } = cleaning
  await removeEvents(cleaning, { businessId, event: 'endpoint.failing', createdAt: { $lt: testsBefore } })
  await removeEvents(cleaning, { referenceNumber: businessId })
}

/**
 * Removes test events. The last event of the log is kept without its contents, because the number of the next event
 * follows from it. A later clean-up removes that event.
 */
async function removeEvents(cleaning: Cleaning, filter: mongo.Filter<LoggedEvent>): Promise<void> {
  const { LoggedEvent: model, businessId, isDry } = cleaning
  const collection = nativeCollection(model)
  const last = await findLast(collection, { businessId, sandbox: true })
  if (last === null) return
  if (!isDry)
    await collection.updateOne(
      { ...filter, _id: last._id },
      { $set: { event: 'cleaned', referenceNumber: businessId, facts: { status: 'cleaned' } } },
      { maxTimeMS: batchLimits.maxTimeMS },
    )
  await removeTests(cleaning, 'events', model, { ...filter, _id: { $ne: last._id } })
}
