import type { EntryType } from '../../schemas/ledger.ts'
import { type ChainOwner, chainFields, chainIndex } from '../chains/append.ts'
import { declareCollection, ifPresent, type Stored } from '../mongo/declare.ts'
import {
  anything,
  date,
  oneOf,
  optional,
  orNull,
  part,
  text,
  type ValueOfField,
  whole,
} from '../mongo/fields.ts'
import { modeOf } from '../platform/mode.ts'
import { dayMs, dayOf } from '../platform/time.ts'
import type { Commission, ReturnedFees } from '../wallets/commission.ts'

const countAndAmount = part({ count: whole, amount: whole })

const totalsFields = part({
  payments: countAndAmount,
  refunds: countAndAmount,
  /** Negative if refunds returned more fees than payments were charged. */
  fees: part({ amount: whole }),
  payouts: countAndAmount,
})
export type DayTotals = ValueOfField<typeof totalsFields>

const stateFields = part({
  ...totalsFields.fields,
  balance: whole,
  opening: whole,
  entries: whole,
  byType: part({ payment: whole, refund: whole, fee: whole, payout: whole }),
})

const closedFields = part({ ...totalsFields.fields, opening: whole, closing: whole })
export type ClosedDay = ValueOfField<typeof closedFields>

const factFields = part({
  referenceNumber: optional(text),
  merchantReference: optional(orNull(text)),
  refundId: optional(text),
  occurredAt: optional(date),
  startedAt: optional(date),
  payerPhone: optional(text),
  commission: optional(anything<Commission>()),
  returnedFees: optional(anything<ReturnedFees>()),
  reason: optional(orNull(text)),
  payoutReference: optional(text),
})
export type EntryFacts = ValueOfField<typeof factFields>

/** Includes closing markers (docs/maintainers/architecture.md). A fee's id is the event's id with `-fee`. */
export const ledgerEntries = declareCollection({
  name: 'ledgerentries',
  kept: 'test data until the clean-up, live data and closing markers forever',
  fields: {
    ...chainFields.fields,
    ...factFields.fields,
    type: oneOf<EntryType | 'closing'>(),
    amount: whole,
    bookedAt: date,
    /** In UTC, e.g. `2026-11-26`. `bookedAt` is later if the day was over before we booked the entry. */
    day: text,
    /** Counts all entries from 1. Merchants see it as `number`. Closing markers have no position. */
    position: optional(whole),
    typePosition: optional(whole),
    after: stateFields,
    /** The last day that a marker closes. There are no entries between `day` and this day. */
    through: optional(text),
    closed: optional(closedFields),
  },
  indexes: [
    chainIndex,
    { name: 'byPosition', key: { businessId: 1, sandbox: 1, position: 1 }, ...ifPresent('position') },
    {
      name: 'byType',
      key: { businessId: 1, sandbox: 1, type: 1, typePosition: 1 },
      ...ifPresent('typePosition'),
    },
    { name: 'byTime', key: { businessId: 1, sandbox: 1, bookedAt: 1, number: 1 } },
    { name: 'closings', key: { businessId: 1, sandbox: 1, through: 1 }, ...ifPresent('through') },
  ],
})
export type LedgerEntry = Stored<typeof ledgerEntries>

export interface EntryDraft extends EntryFacts, Pick<LedgerEntry, '_id' | 'amount' | 'day'> {
  type: EntryType
}

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

/** Before the first entry of a day, adds a marker that closes the day of `last`. */
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
    _id: `${businessId}-${modeOf({ sandbox })}-${through}`,
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

/** Booking times never decrease, although clocks differ a little between processes. */
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
