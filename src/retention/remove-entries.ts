import { closeDays } from '../ledger/book.ts'
import { dayOf, type LedgerEntry } from '../ledger/entry.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { outboxIndex } from '../outbox/event.ts'
import { batchLimits, type Cleaning } from './cleaning.ts'
import { removeTests } from './remove.ts'

const { documents, maxTimeMS } = batchLimits

/** The name of the walk through the ledger, for its progress. */
const walk = 'entries'
/** An entry can be booked this much earlier than its event, because the clocks of two processes differ. */
const maxClockSkewMs = 1000

type Walked = Pick<LedgerEntry, '_id' | 'type' | 'bookedAt' | 'number'>

const order = {
  hint: 'byTime',
  sort: { bookedAt: 1, number: 1 },
  limit: documents,
  projection: { type: 1, bookedAt: 1, number: 1 },
  maxTimeMS,
} as const

/**
 * Removes a business's old test entries from the ledger, oldest first. First closes all days before today, so that the
 * closing markers, which are kept, contain the statements of the removed entries and the balance. Entries of today are
 * kept, and so are those that may belong to an event that is not relayed yet, because the relay would book it again.
 * Each clean-up continues where the previous one stopped, so it does not read the kept markers again.
 */
export async function removeEntries(cleaning: Cleaning): Promise<void> {
  const { businessId, testsBefore, isDry, now, pace, progress } = cleaning
  const today = Date.parse(dayOf(now()))
  const unrelayed = await pace(() => oldestUnrelayed(cleaning))
  const before = new Date(Math.min(testsBefore.getTime(), today, unrelayed - maxClockSkewMs))
  let last: Walked | null = null
  for (;;) {
    const next = {
      businessId,
      sandbox: true,
      bookedAt: { $gte: last?.bookedAt ?? progress.reached(walk) ?? new Date(0), $lt: before },
      number: { $gt: last?.number ?? 0 },
    }
    const page: Walked[] = await pace(() => nativeCollection(cleaning.LedgerEntry).find(next, order).toArray())
    const ids = page.filter(({ type }) => type !== 'closing').map(({ _id }) => _id)
    if (ids.length > 0 && !isDry) await pace(() => closeDays(cleaning, { businessId, sandbox: true }))
    if (ids.length > 0) await pace(() => removeTests(cleaning, 'entries', cleaning.LedgerEntry, { _id: { $in: ids } }))
    last = page.at(-1) ?? last
    if (page.length < documents) return progress.note(walk, before)
  }
}

/** Returns the time of the business's oldest test event that may be unrelayed. Infinite if there is no old one. */
async function oldestUnrelayed({ Intent: model, businessId, testsBefore }: Cleaning): Promise<number> {
  const latest = new Date(testsBefore.getTime() + maxClockSkewMs)
  const found = await nativeCollection(model).findOne(
    { businessId, sandbox: true, 'outbox.createdAt': { $lte: latest } },
    {
      hint: outboxIndex.name,
      sort: { 'outbox.createdAt': 1 },
      projection: { businessId: 1, outbox: { $slice: 1 } },
      maxTimeMS,
    },
  )
  return found?.outbox[0]?.createdAt.getTime() ?? Number.POSITIVE_INFINITY
}
