import { collection, type Stored } from '../mongo/declare.ts'
import { anything, date, list, orNull, text } from '../mongo/fields.ts'
import { actorFields } from '../security/actor.ts'
import type { MoneyKind } from './read-file.ts'

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

/** How many rows and records were compared, and how many differences of each kind there are. */
export interface Counts {
  /** The rows of the file. */
  rows: number
  /** The payments and refunds of the day in this service. */
  recorded: number
  /** The rows without any difference. */
  matched: number
  differences: Record<DifferenceKind, number>
}

/** The maximum number of differences that are stored with a run. */
export const maxStored = 1000

/** One comparison of a provider's file with the records of one UTC day. Runs are kept forever, because they are few. */
export const reconciliations = collection({
  name: 'reconciliations',
  kept: 'forever',
  fields: {
    _id: text,
    day: text,
    /** The only wallet whose payments were compared, or null if all live wallets were. */
    wallet: orNull(text),
    fileName: text,
    /** The SHA-256 of the file in hex. */
    sha256: text,
    at: date,
    actor: actorFields,
    counts: anything<Counts>(),
    /** The first `maxStored` differences. */
    differences: list(anything<Difference>()),
  },
  indexes: [],
})
export type Reconciliation = Stored<typeof reconciliations>

export const differenceCount = ({ differences }: Counts): number =>
  Object.values(differences).reduce((sum, count) => sum + count, 0)
