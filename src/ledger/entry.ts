import type { LedgerEntryType } from '../../schemas/ledger.ts'
import { type ChainOwner, chainFields, chainIndex } from '../chains/append.ts'
import { declareCollection, indexIfPresent, type Stored } from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'
import { modeOf } from '../platform/mode.ts'
import { dayMs, toUtcDay } from '../platform/time.ts'
import type { Commission, ReturnedFees } from '../wallets/commission.ts'

const countAndAmount = field.part({ count: field.whole, amount: field.whole })

const totalsFields = field.part({
  payments: countAndAmount,
  refunds: countAndAmount,
  /** Negative if refunds returned more fees than payments were charged. */
  fees: field.part({ amount: field.whole }),
  payouts: countAndAmount,
})
type DayTotals = field.ValueOfField<typeof totalsFields>

const stateFields = field.part({
  ...totalsFields.fields,
  balance: field.whole,
  opening: field.whole,
  entries: field.whole,
  byType: field.part({ payment: field.whole, refund: field.whole, fee: field.whole, payout: field.whole }),
})

const closedFields = field.part({ ...totalsFields.fields, opening: field.whole, closing: field.whole })
export type ClosedDay = field.ValueOfField<typeof closedFields>

const factFields = field.part({
  referenceNumber: field.optional(field.text),
  merchantReference: field.optional(field.orNull(field.text)),
  refundId: field.optional(field.text),
  occurredAt: field.optional(field.date),
  startedAt: field.optional(field.date),
  payerPhone: field.optional(field.text),
  commission: field.optional(field.anything<Commission>()),
  returnedFees: field.optional(field.anything<ReturnedFees>()),
  reason: field.optional(field.orNull(field.text)),
  payoutReference: field.optional(field.text),
})
type EntryFacts = field.ValueOfField<typeof factFields>

const ownerKey = { businessId: 1, sandbox: 1 } as const

/** A fee's id is its event's id followed by `-fee`. */
export const ledgerEntries = declareCollection({
  name: 'ledgerentries',
  kept: 'test data until the clean-up, live data and closing markers forever',
  fields: {
    ...chainFields.fields,
    ...factFields.fields,
    type: field.oneOf<LedgerEntryType | 'closing'>(),
    amount: field.whole,
    bookedAt: field.date,
    /** In UTC, e.g. `2026-11-26`. An entry may be booked on a later day. */
    day: field.text,
    /** Counts entries from 1. Merchants see it as `number`. */
    position: field.optional(field.whole),
    typePosition: field.optional(field.whole),
    after: stateFields,
    through: field.optional(field.text),
    closed: field.optional(closedFields),
  },
  indexes: [
    chainIndex,
    { name: 'byPosition', key: { ...ownerKey, position: 1 }, ...indexIfPresent('position') },
    { name: 'byType', key: { ...ownerKey, type: 1, typePosition: 1 }, ...indexIfPresent('typePosition') },
    { name: 'byTime', key: { ...ownerKey, bookedAt: 1, number: 1 } },
    { name: 'closings', key: { ...ownerKey, through: 1 }, ...indexIfPresent('through') },
  ],
})
export type LedgerEntry = Stored<typeof ledgerEntries>

export interface LedgerDraft extends EntryFacts, Pick<LedgerEntry, '_id' | 'amount' | 'day'> {
  type: LedgerEntryType
}

export const dayBefore = (day: string): string => toUtcDay(new Date(Date.parse(day) - dayMs))

export const createZeroTotals = (): DayTotals => ({
  payments: { count: 0, amount: 0 },
  refunds: { count: 0, amount: 0 },
  fees: { amount: 0 },
  payouts: { count: 0, amount: 0 },
})

export const pickDayTotals = ({ payments, refunds, fees, payouts }: DayTotals): DayTotals => ({
  payments,
  refunds,
  fees,
  payouts,
})

/** Closes the previous day before the first entry of a day. */
export function linkLedgerEntry(
  owner: ChainOwner,
  last: LedgerEntry | null,
  draft: LedgerDraft,
  now: Date,
): LedgerEntry[] {
  const bookedAt = bookingTime(last, now)
  const closing =
    last === null || toUtcDay(last.bookedAt) === toUtcDay(bookedAt)
      ? null
      : linkClosingMarker(owner, last, now)
  const before = closing ?? last
  const after = stateAfter(before, draft.type, draft.amount)
  const { businessId, sandbox } = owner
  const link = { businessId, sandbox, number: (before?.number ?? 0) + 1, bookedAt }
  const positions = { position: after.entries, typePosition: after.byType[draft.type] }
  const entry = { ...draft, ...link, ...positions, after }
  return closing === null ? [entry] : [closing, entry]
}

export function linkClosingMarker(
  owner: ChainOwner,
  last: LedgerEntry | null,
  now: Date,
): LedgerEntry | null {
  const bookedAt = bookingTime(last, now)
  const through = dayBefore(toUtcDay(bookedAt))
  const day = last === null ? through : toUtcDay(last.bookedAt)
  if (day > through) return null
  const { businessId, sandbox } = owner
  const after = last?.after ?? emptyState()
  const { balance, entries, byType } = after
  const closed: ClosedDay = { opening: after.opening, ...pickDayTotals(after), closing: balance }
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
    after: { balance, opening: balance, ...createZeroTotals(), entries, byType },
  }
}

/** Booking times never decrease, although clocks differ a little. */
const bookingTime = (last: LedgerEntry | null, now: Date): Date =>
  last !== null && last.bookedAt > now ? last.bookedAt : now

const emptyState = (): LedgerEntry['after'] => ({
  balance: 0,
  opening: 0,
  ...createZeroTotals(),
  entries: 0,
  byType: { payment: 0, refund: 0, fee: 0, payout: 0 },
})

function stateAfter(before: LedgerEntry | null, type: LedgerEntryType, amount: number): LedgerEntry['after'] {
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
