import type { Model } from 'mongoose'
import { rawCollection } from '../mongo/collection.ts'
import {
  creationOrder,
  type DatedDocument,
  readWalkPage,
  toMongoSort,
  type WalkOrder,
} from '../mongo/walk.ts'
import { outboxIndex } from '../outbox/event.ts'
import { toUtcDay } from '../platform/time.ts'
import { type BusinessCleanUp, type CleanedKind, cleanedModels } from './cleaning.ts'
import * as removal from './remove.ts'

interface Rule {
  kind: CleanedKind
  index: string
  /** Filters by the first fields of the index. */
  where?(businessId: string): removal.CleanUpFilter
  /** The last fields of the index. Defaults to the creation time and the id. */
  order?: WalkOrder
  olderThan?(cleaning: BusinessCleanUp): Date | null | Promise<Date | null>
  only?: removal.CleanUpFilter
  remove?(cleaning: BusinessCleanUp, page: removal.CleanUpFilter): Promise<void>
  /** `shrinks` always reads the first page again. */
  pages?: 'resumes' | 'shrinks'
}

const tests = (more: removal.CleanUpFilter) => (businessId: string) => ({
  businessId,
  sandbox: true,
  ...more,
})
const oldAttempts = ({ attemptsBefore }: BusinessCleanUp): Date | null => attemptsBefore
const anyAge = (): Date => new Date(8.64e15)

/** Deliveries come first, because they refer to intents and endpoints. */
export const cleanUpRules: readonly Rule[] = [
  { kind: 'deliveries', index: 'byTimeAndEvent', only: removal.endedDeliveryFilter },
  { kind: 'intents', index: 'byTime', remove: removal.removeIntents },
  { kind: 'orders', index: 'byTime', remove: removal.removeOrders },
  // These events belong to no intent or order.
  {
    kind: 'events',
    index: 'byTypeAndTime',
    where: tests({ event: 'endpoint.failing' }),
    remove: removal.removeEvents,
  },
  // Earlier clean-ups kept these events: each was the last one at the time.
  {
    kind: 'events',
    index: 'byReference',
    where: (businessId) => ({ referenceNumber: businessId }),
    olderThan: anyAge,
    remove: removal.removeEvents,
  },
  { kind: 'products', index: 'byTime', where: tests({ listed: true }) },
  { kind: 'products', index: 'deletions', where: tests({ deletedAt: { $type: 'date' } }) },
  {
    kind: 'endpoints',
    index: 'byTime',
    where: (businessId) => ({ businessId }),
    olderThan: ({ endpointsBefore }) => endpointsBefore,
    remove: removal.removeEndpoints,
  },
  {
    kind: 'entries',
    index: 'byTime',
    where: tests({ type: { $ne: 'closing' } }),
    order: { time: 'bookedAt', tie: 'number' },
    olderThan: oldestKeptEntry,
    remove: removal.removeEntries,
    pages: 'resumes',
  },
  // These deliveries were still open when an earlier clean-up read them.
  {
    kind: 'attempts',
    index: 'untrimmedByTime',
    where: (businessId) => ({ businessId, untrimmed: true, ...removal.endedDeliveryFilter }),
    order: { time: 'createdAt' },
    olderThan: oldAttempts,
    remove: removal.trimAttempts,
    pages: 'shrinks',
  },
  {
    kind: 'attempts',
    index: 'byTimeAndEvent',
    where: (businessId) => ({ businessId, sandbox: false }),
    olderThan: oldAttempts,
    remove: removal.trimOrFlagPage,
    pages: 'resumes',
  },
]

/** Because of clock skew, an entry may be dated before its event. */
const maxClockSkewMs = 1000

/** If an unrelayed event's entries were removed, they'd be booked again. */
async function oldestKeptEntry(cleaning: BusinessCleanUp): Promise<Date> {
  const { Intent, businessId, testsBefore, now, pace } = cleaning
  const latest = new Date(testsBefore.getTime() + maxClockSkewMs)
  const unrelayed = await pace(() =>
    rawCollection(Intent).findOne(
      { businessId, sandbox: true, 'outbox.createdAt': { $lte: latest } },
      {
        hint: outboxIndex.name,
        sort: { 'outbox.createdAt': 1 },
        projection: { businessId: 1, outbox: { $slice: 1 } },
        maxTimeMS: removal.removalLimits.maxTimeMS,
      },
    ),
  )
  const oldest = unrelayed?.outbox[0]?.createdAt.getTime() ?? Number.POSITIVE_INFINITY
  return new Date(Math.min(testsBefore.getTime(), Date.parse(toUtcDay(now())), oldest - maxClockSkewMs))
}

/** With a filter on other fields, filling a page could take too long. */
export async function runCleanUpRule(cleaning: BusinessCleanUp, rule: Rule): Promise<void> {
  const { businessId, isDry, pace, progress } = cleaning
  const { kind, index, order = creationOrder, only, pages } = rule
  const before = rule.olderThan ? await rule.olderThan(cleaning) : cleaning.testsBefore
  if (before === null) return
  const remove = rule.remove ?? ((_, page) => removal.removeTestData(cleaning, kind, { ...page, ...only }))
  const [where, { time }] = [(rule.where ?? tests({}))(businessId), order]
  if (isDry && pages === 'shrinks') return remove(cleaning, { ...where, [time]: { $lt: before } })
  const walk = { index, order, where, before, from: pages === 'resumes' ? progress.reached(kind) : null }
  const model = cleaning[cleanedModels[kind]] as unknown as Model<DatedDocument & Record<string, unknown>>
  const size = { ...removal.removalLimits, projection: toMongoSort(order) }
  const readAndRemove = async (last: DatedDocument | null) => {
    const page = await readWalkPage(model, walk, last, size)
    const end = page.at(-1)
    if (end === undefined) return null
    await remove(cleaning, { _id: { $in: page.map(({ _id }) => _id) } })
    const isFull = page.length === size.documents
    if (pages === 'resumes') {
      progress.note(kind, end[time] as Date)
      if (isFull && !isDry) await progress.save()
    }
    return isFull ? end : null
  }
  let last: DatedDocument | null = null
  do last = await pace(() => readAndRemove(pages === 'shrinks' ? null : last))
  while (last !== null)
  if (pages === 'resumes') progress.note(kind, before)
}
