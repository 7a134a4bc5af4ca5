import type { EntryType } from '../../schemas/ledger.ts'
import type { ChainOwner } from '../chains/append.ts'
import type { ClosedDay, DayTotals, EntryFacts, LedgerEntry } from './entry.ts'

/** An entry that is not in the chain yet. */
export interface EntryDraft extends EntryFacts {
  _id: string
  type: EntryType
  /** The change of the balance in centimes. */
  amount: number
  /** The UTC day to which the movement belongs. */
  day: string
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
