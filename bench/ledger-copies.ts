import type { mongo } from 'mongoose'
import { dayOf, type EntryDraft, type LedgerEntry, linkEntry } from '../src/ledger/entry.ts'
import { newId, newReferenceNumber } from '../src/platform/ids.ts'
import { commissionOf } from '../src/wallets/commission.ts'
import { order } from './order.ts'

/** Each payment is two entries, so a batch is about 1 MB. */
const PAYMENTS_TOGETHER = 500
const commission = commissionOf(order.amount, { provider: 200, payer: 100, tof: 1_400, tte: 200 })

/** Payments of a live merchant that are spread evenly over a period. */
export interface Booked {
  payments: number
  from: Date
  to: Date
}

/**
 * Writes the ledger of a merchant to MongoDB, without the service: for each payment an entry and its fee, and the
 * closing markers. A million payments take a few minutes.
 */
export async function fillLedger(database: mongo.Db, businessId: string, periods: readonly Booked[]): Promise<void> {
  const collection = database.collection<LedgerEntry>('ledgerentries')
  const owner = { businessId, sandbox: false }
  let last: LedgerEntry | null = null
  // One batch is linked while another one is written.
  let writing: Promise<unknown> = Promise.resolve()
  for (const { payments, from, to } of periods)
    for (let first = 0; first < payments; first += PAYMENTS_TOGETHER) {
      const links: LedgerEntry[] = []
      for (let nth = first; nth < Math.min(payments, first + PAYMENTS_TOGETHER); nth += 1) {
        const paidAt = new Date(from.getTime() + (nth / payments) * (to.getTime() - from.getTime()))
        for (const draft of entriesOf(paidAt)) links.push(...linkEntry(owner, links.at(-1) ?? last, draft, paidAt))
      }
      last = links.at(-1) ?? last
      await writing
      writing = collection.insertMany(links, { ordered: false, writeConcern: { w: 1, journal: false } })
    }
  await writing
}

function entriesOf(paidAt: Date): EntryDraft[] {
  const _id = newId()
  const shared = {
    referenceNumber: newReferenceNumber(),
    merchantReference: null,
    occurredAt: paidAt,
    day: dayOf(paidAt),
  }
  return [
    { ...shared, _id, type: 'payment', amount: order.amount, payerPhone: '22 ** ** 45', commission },
    { ...shared, _id: `${_id}-fee`, type: 'fee', amount: -commission.providerTtc },
  ]
}
