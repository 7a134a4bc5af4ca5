import { nativeCollection } from '../mongo/collection.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { batchLimits, type Cleaning, eachPage } from './cleaning.ts'

const { documents: limit, maxTimeMS } = batchLimits

/**
 * A filter for deliveries that have not been trimmed. They contain more than one attempt, or an endpoint's response.
 */
const untrimmed = {
  $or: [{ 'attemptLog.1': { $exists: true } }, { 'attemptLog.responseText': { $type: 'string' } }],
}
/**
 * An update that keeps only the last attempt, because lists and pages show this attempt, and removes the endpoint's
 * response from it.
 */
const lastOnly = [
  { $set: { attemptLog: { $slice: ['$attemptLog', -1] } } },
  { $unset: ['attemptLog.responseText', 'untrimmed'] },
]

/** The name of the walk through the deliveries, for its progress. */
const name = 'attempts'

/**
 * Removes the attempts of old live deliveries that have ended. The last attempt is kept, but its response is removed. A
 * delivery that has not ended is flagged with `untrimmed: true`, and is trimmed by the first clean-up after it has
 * ended. The deliveries remain, so each clean-up continues where the previous one stopped.
 */
export async function trimAttempts(cleaning: Cleaning): Promise<void> {
  const { businessId, attemptsBefore: before, isDry, pace, progress } = cleaning
  if (before === null) return
  await trimLate(cleaning, before)
  const where = { businessId, sandbox: false }
  const walk = { index: 'byTimeAndEvent', where, from: progress.reached(name), before }
  await eachPage(pace, cleaning.Delivery, walk, async (ids, lastCreatedAt) => {
    // Deliveries are flagged before they are trimmed. If a delivery ends between the two calls, the second call trims
    // it and clears its flag.
    if (!isDry) await flagOpen(cleaning, ids)
    await trim(cleaning, { _id: { $in: ids }, ...untrimmed })
    progress.note(name, lastCreatedAt)
    if (!isDry && ids.length === limit) await progress.save()
  })
  progress.note(name, before)
}

/** Trims the deliveries that had not ended when an earlier clean-up reached them but have ended since then. */
async function trimLate(cleaning: Cleaning, before: Date): Promise<void> {
  const { businessId, isDry, pace } = cleaning
  const ended = { businessId, untrimmed: true, nextAttemptAt: null, createdAt: { $lt: before } }
  if (isDry) return trim(cleaning, ended)
  for (;;) {
    const ids = await pace(async () => {
      const found = await nativeCollection(cleaning.Delivery)
        .find<Pick<Delivery, '_id'>>(ended, {
          hint: 'untrimmedByTime',
          projection: { _id: 1 },
          limit,
          maxTimeMS,
        })
        .toArray()
      const page = found.map(({ _id }) => _id)
      if (page.length > 0) await trim(cleaning, { _id: { $in: page } })
      return page
    })
    if (ids.length < limit) return
  }
}

async function flagOpen({ Delivery: model }: Cleaning, ids: string[]): Promise<void> {
  const open = { _id: { $in: ids }, sandbox: false, nextAttemptAt: { $type: 'date' } } as const
  await nativeCollection(model).updateMany(open, { $set: { untrimmed: true } }, { maxTimeMS })
}

async function trim({ Delivery: model, isDry, count }: Cleaning, filter: Record<string, unknown>): Promise<void> {
  const deliveries = nativeCollection(model)
  const old = { ...filter, sandbox: false, nextAttemptAt: null }
  if (isDry) return count('attempts', await deliveries.countDocuments(old, { maxTimeMS }))
  count('attempts', (await deliveries.updateMany(old, lastOnly, { maxTimeMS })).modifiedCount)
}
