import { pastMongoose } from '../collection.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { batchLimits } from './batch.ts'
import type { Cleaning } from './cleaning.ts'
import { eachPage } from './each-page.ts'

const { maxTimeMS } = batchLimits

/** More than the last attempt, or what its receiver answered. */
const detailed = {
  $or: [{ 'attemptLog.1': { $exists: true } }, { 'attemptLog.answer': { $type: 'string' } }],
}
/** How it went last is what lists and pages tell of it, so that stays. */
const lastOnly = [{ $set: { attemptLog: { $slice: ['$attemptLog', -1] } } }, { $unset: 'attemptLog.answer' }]

/**
 * Old live deliveries of a business that have ended lose their attempts but the last, and of that the answer; nothing else of them changes. Tells
 * `open` when one was made to which an attempt may still come: it is not old yet.
 */
export async function forgetAttempts(
  cleaning: Cleaning,
  businessId: string,
  open: (madeAt: Date) => void,
): Promise<void> {
  const { attempts: span, isDry, pace, count } = cleaning
  if (span === null) return
  const deliveries = pastMongoose(cleaning.Delivery)
  const walk = { index: 'byTimeAndEvent', where: { businessId, sandbox: false }, ...span }
  await eachPage(pace, cleaning.Delivery, walk, async (ids) => {
    const these = { _id: { $in: ids }, sandbox: false }
    const old = { ...these, nextAttemptAt: null, ...detailed }
    if (isDry) return count('attempts', await deliveries.countDocuments(old, { maxTimeMS }))
    count('attempts', (await deliveries.updateMany(old, lastOnly, { maxTimeMS })).modifiedCount)
    const [first] = await deliveries
      .find<Pick<Delivery, 'createdAt'>>(
        { ...these, nextAttemptAt: { $type: 'date' } },
        { projection: { createdAt: 1 }, sort: { createdAt: 1 }, limit: 1 },
      )
      .toArray()
    if (first !== undefined) open(first.createdAt)
  })
}
