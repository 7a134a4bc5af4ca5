import type { Model } from 'mongoose'
import { dayOf } from '../ledger/entry.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { byCreation, type Listed, readWalkPage, sortBy, type WalkOrder } from '../mongo/walk.ts'
import { outboxIndex } from '../outbox/event.ts'
import { type Cleaning, type Kind, modelOf } from './cleaning.ts'
import {
  batchLimits,
  endedDelivery,
  type Filter,
  removeEndpoints,
  removeEntries,
  removeEvents,
  removeIntents,
  removeOrders,
  removeTests,
  trim,
  trimOrFlag,
} from './remove.ts'

/** One kind of old data of a business. */
interface Rule {
  kind: Kind
  /** The index by which the data is found, oldest first. */
  index: string
  /** The fields with which the index begins. */
  where(businessId: string): Filter
  /** The fields with which the index ends. By default, the creation time and the id. */
  order?: WalkOrder
  /** Only what is older than this is removed. If null, nothing is. */
  olderThan(cleaning: Cleaning): Date | null | Promise<Date | null>
  /** What else must be true of a document that is removed. */
  only?: Filter
  /** How a page of documents is removed, if not simply by deleting them. */
  remove?(cleaning: Cleaning, page: Filter): Promise<void>
  /**
   * - `resumes`: some of the data stays, so each clean-up begins where the one before stopped.
   * - `shrinks`: whatever is removed leaves the index, so each page is the first one.
   */
  pages?: 'resumes' | 'shrinks'
}

const tests =
  (more: Filter = {}) =>
  (businessId: string): Filter => ({ businessId, sandbox: true, ...more })
const old = ({ testsBefore }: Cleaning): Date => testsBefore
const oldAttempts = ({ attemptsBefore }: Cleaning): Date | null => attemptsBefore
const anyAge = (): Date => new Date(8.64e15)

/**
 * What the clean-up removes, in this order: no intent or order goes before the deliveries that report on it, and no
 * endpoint before its deliveries. The clean-up may be killed at any point, because the next one finds the rest. The
 * hidden sandbox shop is kept, because it's only one small document.
 */
export const rules: readonly Rule[] = [
  { kind: 'deliveries', index: 'byTimeAndEvent', where: tests(), olderThan: old, only: endedDelivery },
  { kind: 'intents', index: 'byTime', where: tests(), olderThan: old, remove: removeIntents },
  { kind: 'orders', index: 'byTime', where: tests(), olderThan: old, remove: removeOrders },
  // These belong to no intent or order.
  {
    kind: 'events',
    index: 'byTypeAndTime',
    where: tests({ event: 'endpoint.failing' }),
    olderThan: old,
    remove: removeEvents,
  },
  // Those that earlier clean-ups only emptied.
  {
    kind: 'events',
    index: 'byReference',
    where: (businessId) => ({ referenceNumber: businessId }),
    olderThan: anyAge,
    remove: removeEvents,
  },
  { kind: 'products', index: 'byTime', where: tests({ listed: true }), olderThan: old },
  { kind: 'products', index: 'deletions', where: tests({ deletedAt: { $type: 'date' } }), olderThan: old },
  {
    kind: 'endpoints',
    index: 'byTime',
    where: (businessId) => ({ businessId }),
    olderThan: ({ endpointsBefore }) => endpointsBefore,
    remove: removeEndpoints,
  },
  {
    kind: 'entries',
    index: 'byTime',
    // The closing markers stay. They are few, so that reading past them is cheap.
    where: tests({ type: { $ne: 'closing' } }),
    order: { time: 'bookedAt', tie: 'number' },
    olderThan: oldestKeptEntry,
    remove: removeEntries,
    pages: 'resumes',
  },
  // Those that had not ended when an earlier clean-up reached them.
  {
    kind: 'attempts',
    index: 'untrimmedByTime',
    where: (businessId) => ({ businessId, untrimmed: true, ...endedDelivery }),
    order: { time: 'createdAt' },
    olderThan: oldAttempts,
    remove: trim,
    pages: 'shrinks',
  },
  {
    kind: 'attempts',
    index: 'byTimeAndEvent',
    where: (businessId) => ({ businessId, sandbox: false }),
    olderThan: oldAttempts,
    remove: trimOrFlag,
    pages: 'resumes',
  },
]

/** An entry can be booked this much earlier than its event, because the clocks of two processes differ. */
const maxClockSkewMs = 1000

/**
 * Entries of today are kept, and so are those that may belong to an event that isn't relayed yet, because the relay
 * would book it again.
 */
async function oldestKeptEntry(cleaning: Cleaning): Promise<Date> {
  const { Intent, businessId, testsBefore, now, pace } = cleaning
  const latest = new Date(testsBefore.getTime() + maxClockSkewMs)
  const unrelayed = await pace(() =>
    nativeCollection(Intent).findOne(
      { businessId, sandbox: true, 'outbox.createdAt': { $lte: latest } },
      {
        hint: outboxIndex.name,
        sort: { 'outbox.createdAt': 1 },
        projection: { businessId: 1, outbox: { $slice: 1 } },
        maxTimeMS: batchLimits.maxTimeMS,
      },
    ),
  )
  const oldest = unrelayed?.outbox[0]?.createdAt.getTime() ?? Number.POSITIVE_INFINITY
  return new Date(Math.min(testsBefore.getTime(), Date.parse(dayOf(now())), oldest - maxClockSkewMs))
}

/**
 * Carries out a rule for one business, page by page. The query selects by index fields, and `only` or `remove` decides.
 * Otherwise, MongoDB would search until it had found a full page to remove, however long that took.
 */
export async function carryOut(cleaning: Cleaning, rule: Rule): Promise<void> {
  const { businessId, isDry, pace, progress } = cleaning
  const { kind, index, order = byCreation, only, pages } = rule
  const before = await rule.olderThan(cleaning)
  if (before === null) return
  const remove = rule.remove ?? ((_, page) => removeTests(cleaning, kind, { ...page, ...only }))
  const [where, { time }] = [rule.where(businessId), order]
  if (isDry && pages === 'shrinks') return remove(cleaning, { ...where, [time]: { $lt: before } })
  const walk = { index, order, where, before, from: pages === 'resumes' ? progress.reached(kind) : null }
  const model = cleaning[modelOf[kind]] as unknown as Model<Listed & Record<string, unknown>>
  const readAndRemove = async (last: Listed | null) => {
    const page = await readWalkPage(model, walk, last, { ...batchLimits, projection: sortBy(order) })
    const end = page.at(-1)
    if (end === undefined) return null
    await remove(cleaning, { _id: { $in: page.map(({ _id }) => _id) } })
    const isFull = page.length === batchLimits.documents
    if (pages === 'resumes') {
      progress.note(kind, end[time] as Date)
      if (isFull && !isDry) await progress.save()
    }
    return isFull ? end : null
  }
  let last: Listed | null = null
  do last = await pace(() => readAndRemove(pages === 'shrinks' ? null : last))
  while (last !== null)
  if (pages === 'resumes') progress.note(kind, before)
}
