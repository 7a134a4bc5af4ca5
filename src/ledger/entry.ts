import type { EntryType } from '../../schemas/ledger.ts'
import { type ChainOwner, chainFields, chainIndex } from '../chains/append.ts'
import { collection, ifPresent, type Stored } from '../mongo/declare.ts'
import { anything, date, type Of, oneOf, optional, orNull, part, text, whole } from '../mongo/fields.ts'
import type { Commission, ReturnedFees } from '../wallets/commission.ts'

const countAndAmount = part({ count: whole, amount: whole })

/** The movements of one UTC day. Amounts are in centimes. Refunds, fees and payouts reduce the balance. */
const totalsFields = part({
  payments: countAndAmount,
  refunds: countAndAmount,
  /** The fees that the merchant paid minus the fees that refunds gave back. Negative if more was given back. */
  fees: part({ amount: whole }),
  payouts: countAndAmount,
})
export type DayTotals = Of<typeof totalsFields>

/** The state of an account after an entry. */
const stateFields = part({
  ...totalsFields.fields,
  balance: whole,
  /** The balance at the start of the day of `bookedAt`. The totals are those of this day. */
  opening: whole,
  /** The number of entries so far, in total and by type. */
  entries: whole,
  byType: part({ payment: whole, refund: whole, fee: whole, payout: whole }),
})

/** The statement of a day that is over, as a closing marker records it. */
const closedFields = part({ ...totalsFields.fields, opening: whole, closing: whole })
export type ClosedDay = Of<typeof closedFields>

/** The facts of the payment or refund that an entry books. They are copied from the event, and never change. */
const factFields = part({
  referenceNumber: optional(text),
  /** Null if the merchant gave the intent no reference. */
  merchantReference: optional(orNull(text)),
  refundId: optional(text),
  occurredAt: optional(date),
  /** The time at which the refund began. */
  startedAt: optional(date),
  /** The masked phone number of the payer. */
  payerPhone: optional(text),
  commission: optional(anything<Commission>()),
  returnedFees: optional(anything<ReturnedFees>()),
  /** The merchant's reason for the refund, or null. */
  reason: optional(orNull(text)),
  payoutReference: optional(text),
})
export type EntryFacts = Of<typeof factFields>

/**
 * An entry in the ledger of a business and environment, or a closing marker (docs/maintainers/architecture.md). Entries
 * never change. The entry of a payment or refund has the id of its event, and the entry of its fee has the same id with
 * `-fee`.
 */
export const ledgerEntries = collection({
  name: 'ledgerentries',
  kept: 'test data until the clean-up, live data and closing markers forever',
  fields: {
    ...chainFields.fields,
    ...factFields.fields,
    type: oneOf<EntryType | 'closing'>(),
    /** The change of the balance in centimes. 0 for a closing marker. */
    amount: whole,
    /** The time at which the entry was inserted. It never decreases along the chain. */
    bookedAt: date,
    /**
     * The UTC day to which the movement belongs, such as `2026-11-26`. If the day was already over when the movement
     * was booked, `bookedAt` is on a later day. For a closing marker, the closed day.
     */
    day: text,
    /** The position among all entries, from 1. Merchants see it as `number`. Closing markers have none. */
    position: optional(whole),
    /** The position among the entries of the same type, from 1. */
    typePosition: optional(whole),
    after: stateFields,
    /** The last day that a closing marker closes. There are no entries after `day` up to this day. */
    through: optional(text),
    closed: optional(closedFields),
  },
  indexes: [
    chainIndex,
    // Pages of lists are ranges of positions, so that a page far down a long list costs no more than the first one.
    { name: 'byPosition', key: { businessId: 1, sandbox: 1, position: 1 }, ...ifPresent('position') },
    { name: 'byType', key: { businessId: 1, sandbox: 1, type: 1, typePosition: 1 }, ...ifPresent('typePosition') },
    // With this index, the first and last positions of a period are found.
    { name: 'byTime', key: { businessId: 1, sandbox: 1, bookedAt: 1, number: 1 } },
    { name: 'closings', key: { businessId: 1, sandbox: 1, through: 1 }, ...ifPresent('through') },
  ],
})
export type LedgerEntry = Stored<typeof ledgerEntries>

/** An entry that is not in the chain yet. */
export interface EntryDraft extends EntryFacts, Pick<LedgerEntry, '_id' | 'amount' | 'day'> {
  type: EntryType
}

const dayMs = 86_400_000

/** Returns the UTC day of a time, such as `2026-11-26`. As strings, such days are in chronological order. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** Returns the day before a day. */
export const dayBefore = (day: string): string => dayOf(new Date(Date.parse(day) - dayMs))

export const noTotals = (): DayTotals => ({
  payments: { count: 0, amount: 0 },
  refunds: { count: 0, amount: 0 },
  fees: { amount: 0 },
  payouts: { count: 0, amount: 0 },
})

export const totalsOf = ({ payments, refunds, fees, payouts }: DayTotals): DayTotals => ({
  payments,
  refunds,
  fees,
  payouts,
})

/**
 * Returns the entry that follows `last` for a draft. If `last` was booked on an earlier day, a closing marker for that
 * day comes first. The first entry of a later day therefore closes a day. A process that was frozen in between cannot
 * change the closed day, because the number that the process would use is taken.
 */
export function linkEntry(owner: ChainOwner, last: LedgerEntry | null, draft: EntryDraft, now: Date): LedgerEntry[] {
  const bookedAt = bookingTime(last, now)
  const closing = last === null || dayOf(last.bookedAt) === dayOf(bookedAt) ? null : linkClosing(owner, last, now)
  const before = closing ?? last
  const { type, amount } = draft
  const after = stateAfter(before, type, amount)
  const { businessId, sandbox } = owner
  const entry: LedgerEntry = {
    ...draft,
    businessId,
    sandbox,
    number: (before?.number ?? 0) + 1,
    bookedAt,
    position: after.entries,
    typePosition: after.byType[type],
    after,
  }
  return closing === null ? [entry] : [closing, entry]
}

/**
 * Returns the marker that closes all days before today. Returns null if they are already closed. `last` is the last
 * entry of the chain.
 */
export function linkClosing(owner: ChainOwner, last: LedgerEntry | null, now: Date): LedgerEntry | null {
  const bookedAt = bookingTime(last, now)
  const through = dayBefore(dayOf(bookedAt))
  const day = last === null ? through : dayOf(last.bookedAt)
  if (day > through) return null
  const { businessId, sandbox } = owner
  const after = last?.after ?? emptyState()
  const { balance, entries, byType } = after
  const closed: ClosedDay = { opening: after.opening, ...totalsOf(after), closing: balance }
  return {
    _id: `${businessId}-${sandbox ? 'test' : 'live'}-${through}`,
    businessId,
    sandbox,
    number: (last?.number ?? 0) + 1,
    type: 'closing',
    amount: 0,
    bookedAt,
    day,
    through,
    closed,
    after: { balance, opening: balance, ...noTotals(), entries, byType },
  }
}

/** Returns the time of the next entry. The clocks of processes differ a little, but the times never decrease. */
const bookingTime = (last: LedgerEntry | null, now: Date): Date =>
  last !== null && last.bookedAt > now ? last.bookedAt : now

const emptyState = (): LedgerEntry['after'] => ({
  balance: 0,
  opening: 0,
  ...noTotals(),
  entries: 0,
  byType: { payment: 0, refund: 0, fee: 0, payout: 0 },
})

function stateAfter(before: LedgerEntry | null, type: EntryType, amount: number): LedgerEntry['after'] {
  const state = before?.after ?? emptyState()
  const counted = (total: { count: number; amount: number }, change: number) => ({
    count: total.count + 1,
    amount: total.amount + change,
  })
  return {
    ...state,
    balance: state.balance + amount,
    payments: type === 'payment' ? counted(state.payments, amount) : state.payments,
    refunds: type === 'refund' ? counted(state.refunds, -amount) : state.refunds,
    fees: type === 'fee' ? { amount: state.fees.amount - amount } : state.fees,
    payouts: type === 'payout' ? counted(state.payouts, -amount) : state.payouts,
    entries: state.entries + 1,
    byType: { ...state.byType, [type]: state.byType[type] + 1 },
  }
}
