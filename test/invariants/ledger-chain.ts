import { isDeepStrictEqual } from 'node:util'

type Total = { count: number; amount: number }

export interface LedgerState {
  balance: number
  opening: number
  payments: Total
  refunds: Total
  fees: Omit<Total, 'count'>
  payouts: Total
  entries: number
  byType: { [type in 'payment' | 'refund' | 'fee' | 'payout']: number }
}

type EntryType = keyof LedgerState['byType']

/** An entry as stored, or the marker that closes the days from `day` to `through`. */
export interface LedgerLink {
  _id: string
  number: number
  type: EntryType | 'closing'
  amount: number
  bookedAt: number
  day: string
  position?: number
  typePosition?: number
  after: LedgerState
  through?: string
  closed?: object
}

const noTotals = () => ({
  payments: { count: 0, amount: 0 },
  refunds: { count: 0, amount: 0 },
  fees: { amount: 0 },
  payouts: { count: 0, amount: 0 },
})
export const noEntries = (): LedgerState => ({
  balance: 0,
  opening: 0,
  ...noTotals(),
  entries: 0,
  byType: { payment: 0, refund: 0, fee: 0, payout: 0 },
})

export function stateAfter(before: LedgerState, type: EntryType, amount: number): LedgerState {
  const state = structuredClone(before)
  state.balance += amount
  state.entries += 1
  state.byType[type] += 1
  const total: { count?: number; amount: number } = type === 'fee' ? state.fees : state[`${type}s`]
  total.amount += type === 'payment' ? amount : -amount
  if (total.count !== undefined) total.count += 1
  return state
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

export function* faultsInChain(entries: readonly LedgerLink[], isCut: boolean): Generator<string> {
  let [state, last, closedThrough]: [LedgerState, LedgerLink | null, string] = [noEntries(), null, '']
  let isFollowed = !isCut
  for (const entry of entries.toSorted((one, other) => one.number - other.number)) {
    const { number, type, amount, bookedAt, day, through = '', closed, position, typePosition } = entry
    const today = dayOf(bookedAt)
    const lastDay = last === null ? null : dayOf(last.bookedAt)
    const isNext = number === (last?.number ?? 0) + 1
    if (!isNext && isFollowed) yield `entry ${number} follows entry ${last?.number ?? 0}`
    if (bookedAt < (last?.bookedAt ?? 0)) yield `entry ${number} was booked before the last one`
    if (!isNext && !isFollowed) {
      state = entry.after
      closedThrough = through
    } else if (type === 'closing') {
      const { balance, opening, entries: count, byType, ...totals } = state
      const due = { opening, ...totals, closing: balance }
      if (!isDeepStrictEqual(closed, due)) yield `entry ${number} closes a day with ${JSON.stringify(due)}`
      if (day !== (lastDay ?? day) || through < day || through >= today)
        yield `entry ${number} closes ${day} to ${through} on ${today}, after an entry of ${lastDay}`
      state = { balance, opening: balance, ...noTotals(), entries: count, byType }
      closedThrough = through
    } else {
      if (today !== (lastDay ?? today) || today <= closedThrough)
        yield `entry ${number} was booked on ${today}, after ${lastDay} and the close of ${closedThrough}`
      state = stateAfter(state, type, amount)
      if (position !== state.entries || typePosition !== state.byType[type])
        yield `entry ${number} has the positions ${position} and ${typePosition}`
    }
    if (!isDeepStrictEqual(entry.after, state))
      yield `entry ${number} should lead to ${JSON.stringify(state)}`
    isFollowed ||= type !== 'closing'
    last = entry
  }
}
