import { dayOf } from '../ledger/link.ts'
import type { FoundKey, Recorded } from './recorded.ts'
import type { MoneyKind, Row } from './rows.ts'

/** The kinds of difference between a provider's file and the records of this service. */
export const differenceKinds = [
  'missing here',
  'missing there',
  'other amount',
  'other fee',
  'other day',
  'other kind',
  'repeated there',
] as const
export type DifferenceKind = (typeof differenceKinds)[number]

/**
 * A difference for one key. `here` and `there` are the two values that differ: amounts and fees in centimes, days such
 * as `2026-11-25`, or kinds. If one side lacks the key, its value is null, and the other value is the amount.
 */
export interface Difference {
  difference: DifferenceKind
  key: string
  kind: MoneyKind | null
  here: number | string | null
  there: number | string | null
  /** The line of the file, or null if the file lacks the key. */
  line: number | null
  /** The reference number of the payment intent, or null if this service does not know the key. */
  reference: string | null
  businessId: string | null
}

/** Returns the differences between a row and the record with the same key. A day other than `day` is a difference. */
export function differencesOf(day: string, row: Row, recorded: Recorded): Difference[] {
  const { key, line } = row
  const { reference, businessId, kind } = recorded
  type Value = Difference['here']
  const difference = (name: DifferenceKind, here: Value, there: Value, differs = here !== there): Difference[] =>
    differs ? [{ difference: name, key, kind, here, there, line, reference, businessId }] : []
  const days = [dayOf(recorded.at), dayOf(row.at)] as const
  return [
    ...difference('other amount', recorded.amount, row.amount),
    ...(row.fee === null ? [] : difference('other fee', recorded.fee, row.fee)),
    ...(row.kind === null ? [] : difference('other kind', recorded.kind, row.kind)),
    // Both sides may agree on a day that is not the day of the file.
    ...difference(
      'other day',
      ...days,
      days.some((each) => each !== day),
    ),
  ]
}

/** Returns the difference for a key that succeeded only at the provider. */
export const missingHere = ({ key, kind, amount, line }: Row, found: FoundKey | undefined): Difference => ({
  difference: 'missing here',
  key,
  kind,
  here: null,
  there: amount,
  line,
  reference: found?.reference ?? null,
  businessId: found?.businessId ?? null,
})

/** Returns the difference for a key that the file lacks. */
export const missingThere = ({ key, kind, amount, reference, businessId }: Recorded): Difference => ({
  difference: 'missing there',
  key,
  kind,
  here: amount,
  there: null,
  line: null,
  reference,
  businessId,
})

/** Returns the difference for a row whose key is already in an earlier row. */
export const repeatedThere = ({ key, amount, line }: Row, recorded: Recorded): Difference => ({
  ...missingThere(recorded),
  difference: 'repeated there',
  key,
  there: amount,
  line,
})
