import type { EntryType } from '../../schemas/ledger.ts'
import { type ChainOwner, chainFields, chainIndex } from '../chains/append.ts'
import { declareCollection, ifPresent, type Stored } from '../mongo/declare.ts'
import { anything, date, type Of, oneOf, optional, orNull, part, text, whole } from '../mongo/fields.ts'
import type { Commission, ReturnedFees } from '../wallets/commission.ts'

const countAndAmount = part({ count: whole, amount: whole })

/** Of one UTC day, in centimes. Refunds, fees and payouts reduce the balance. */
const totalsFields = part({
  payments: countAndAmount,
  refunds: countAndAmount,
  /** Fees paid minus fees returned by refunds, so it can be negative. */
  fees: part({ amount: whole }),
  payouts: countAndAmount,
})
export type DayTotals = Of<typeof totalsFields>

const stateFields = part({
  ...totalsFields.fields,
  balance: whole,
  /** Balance at the start of the day of `bookedAt`, to which the totals also belong. */
  opening: whole,
  entries: whole,
  byType: part({ payment: whole, refund: whole, fee: whole, payout: whole }),
})

/** As recorded by a closing marker. */
const closedFields = part({ ...totalsFields.fields, opening: whole, closing: whole })
export type ClosedDay = Of<typeof closedFields>

/** Copied from the event, and never changed. */
const factFields = part({
  referenceNumber: optional(text),
  /** Null if the intent has none. */
  merchantReference: optional(orNull(text)),
  refundId: optional(text),
  occurredAt: optional(date),
  startedAt: optional(date),
  /** Masked, e.g. `22 ** ** 01`. */
  payerPhone: optional(text),
  commission: optional(anything<Commission>()),
  returnedFees: optional(anything<ReturnedFees>()),
  reason: optional(orNull(text)),
  payoutReference: optional(text),
})
export type EntryFacts = Of<typeof factFields>

/**
 * An entry in the ledger of a business and environment, or a closing marker (docs/maintainers/architecture.md). Entries
 * never change. A payment or refund has the id of its event, and its fee the same with `-fee`.
 */
export const ledgerEntries = declareCollection({
  name: 'ledgerentries',
  kept: 'test data until the clean-up, live data and closing markers forever',
  fields: {
    ...chainFields.fields,
    ...factFields.fields,
    type: oneOf<EntryType | 'closing'>(),
    /** Change of the balance in centimes. 0 for a closing marker. */
    amount: whole,
    /** Never decreases along the chain. */
    bookedAt: date,
    /**
     * The UTC day of the payment, refund or payout, e.g. `2026-11-26`; for a closing marker, the closed day. `bookedAt`
     * is later if the day was over before we booked it.
     */
    day: text,
    /** Position among all entries, from 1; merchants see it as `number`. Closing markers have none. */
    position: optional(whole),
    /** Position among entries of the same type, from 1. */
    typePosition: optional(whole),
    after: stateFields,
    /** The last day that a closing marker closes. Nothing was booked between `day` and this day. */
    through: optional(text),
    closed: optional(closedFields),
  },
  indexes: [
    chainIndex,
    // List pages are ranges of positions, so a page far down a long list costs no more than the first.
    { name: 'byPosition', key: { businessId: 1, sandbox: 1, position: 1 }, ...ifPresent('position') },
    {
      name: 'byType',
      key: { businessId: 1, sandbox: 1, type: 1, typePosition: 1 },
      ...ifPresent('typePosition'),
    },
    // Finds the first and the last position of a period.
    { name: 'byTime', key: { businessId: 1, sandbox: 1, bookedAt: 1, number: 1 } },
    { name: 'closings', key: { businessId: 1, sandbox: 1, through: 1 }, ...ifPresent('through') },
  ],
})
export type LedgerEntry = Stored<typeof ledgerEntries>

export interface EntryDraft extends EntryFacts, Pick<LedgerEntry, '_id' | 'amount' | 'day'> {
  type: EntryType
}

const dayMs = 86_400_000

/** Returns e.g. `2026-11-26`, which also sorts chronologically. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

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
 * The entry that follows `last`, after a closing marker if `last` was booked on an earlier day. So the first entry of a
 * later day closes a day, and a process that was frozen in between can't change it: its number is taken.
 */
export function linkEntry(
  owner: ChainOwner,
  last: LedgerEntry | null,
  draft: EntryDraft,
  now: Date,
): LedgerEntry[] {
  const bookedAt = bookingTime(last, now)
  const closing =
    last === null || dayOf(last.bookedAt) === dayOf(bookedAt) ? null : linkClosing(owner, last, now)
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

/** The marker that closes all days before today, or null if they are closed. `last` is the end of the chain. */
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

/** Clocks differ a little between processes, but booking times never decrease. */
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
