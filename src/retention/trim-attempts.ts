import { nativeCollection } from '../mongo/collection.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import type { Cleaning } from './cleaning.ts'
import { batchLimits, eachNewPage } from './each-page.ts'

const { documents: limit, maxTimeMS } = batchLimits

/** More than the last attempt, or what its receiver answered. */
const detailed = {
  $or: [{ 'attemptLog.1': { $exists: true } }, { 'attemptLog.responseText': { $type: 'string' } }],
}
/** How it went last is what lists and pages tell of it, so that stays. */
const lastOnly = [
  { $set: { attemptLog: { $slice: ['$attemptLog', -1] } } },
  { $unset: ['attemptLog.responseText', 'untrimmed'] },
]

/**
 * Old live deliveries of a business that have ended lose their attempts but the last, and of that the answer; nothing else of them changes. One
 * to which an attempt may still come gets a mark, and loses its own the night after it has ended.
 */
export async function trimAttempts(cleaning: Cleaning): Promise<void> {
  const { businessId, attemptsBefore: before, isDry } = cleaning
  if (before === null) return
  await forgetLate(cleaning, before)
  const walk = { index: 'byTimeAndEvent', where: { businessId, sandbox: false }, before }
  await eachNewPage(cleaning, 'attempts', cleaning.Delivery, walk, async (_id) => {
    // First: one that ends meanwhile has the mark and loses it again.
    if (!isDry) await mark(cleaning, _id)
    await forget(cleaning, { _id: { $in: _id }, ...detailed })
  })
}

/** Of those that had not ended when they were old, or were sent again by hand, and have ended now. */
async function forgetLate(cleaning: Cleaning, before: Date): Promise<void> {
  const { businessId, isDry, pace } = cleaning
  const ended = { businessId, untrimmed: true, nextAttemptAt: null, createdAt: { $lt: before } }
  if (isDry) return forget(cleaning, ended)
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
      const some = found.map(({ _id }) => _id)
      if (some.length > 0) await forget(cleaning, { _id: { $in: some } })
      return some
    })
    if (ids.length < limit) return
  }
}

async function mark({ Delivery: model }: Cleaning, ids: string[]): Promise<void> {
  const open = { _id: { $in: ids }, sandbox: false, nextAttemptAt: { $type: 'date' } } as const
  await nativeCollection(model).updateMany(open, { $set: { untrimmed: true } }, { maxTimeMS })
}

async function forget(
  { Delivery: model, isDry, count }: Cleaning,
  which: Record<string, unknown>,
): Promise<void> {
  const deliveries = nativeCollection(model)
  const old = { ...which, sandbox: false, nextAttemptAt: null }
  if (isDry) return count('attempts', await deliveries.countDocuments(old, { maxTimeMS }))
  count('attempts', (await deliveries.updateMany(old, lastOnly, { maxTimeMS })).modifiedCount)
}
