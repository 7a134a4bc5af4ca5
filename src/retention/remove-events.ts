import { findLast } from '../chains/append.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits } from './each-page.ts'
import { removeTests } from './remove.ts'

/**
 * Removes the events of test intents or orders that are about to be removed from the event log. The last event of the
 * log only loses its contents, because the next event gets the number after it. A later clean-up removes that event.
 */
export async function removeEventsOf(cleaning: Cleaning, references: readonly string[]): Promise<void> {
  const { LoggedEvent: model, businessId, isDry } = cleaning
  if (references.length === 0) return
  const collection = nativeCollection(model)
  const last = await findLast(collection, { businessId, sandbox: true })
  if (last === null) return
  const old = [...references, businessId]
  if (!isDry && old.includes(last.referenceNumber))
    await collection.updateOne(
      { _id: last._id },
      { $set: { event: 'cleaned', referenceNumber: businessId, facts: { status: 'cleaned' } } },
      { maxTimeMS: batchLimits.maxTimeMS },
    )
  await removeTests(cleaning, 'events', model, { referenceNumber: { $in: old }, _id: { $ne: last._id } })
}
