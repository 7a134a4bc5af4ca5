import { type Model, Schema } from 'mongoose'
import type { Collection } from '../mongo/collection.ts'
import type { Actor } from '../security/actor.ts'
import type { MoneyKind } from './read-file.ts'

declare module '../platform/deps.ts' {
  interface Models {
    Reconciliation: Model<Reconciliation>
  }
}

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
 * `here` and `there` are the values that differ: centimes, days (`2026-11-25`) or kinds. If one side lacks the key,
 * it's null, and the other one is the amount.
 */
export interface Difference {
  difference: DifferenceKind
  key: string
  kind: MoneyKind | null
  here: number | string | null
  there: number | string | null
  /** Line of the file; null if the file lacks the key. */
  line: number | null
  /** Null if we don't know the key. */
  reference: string | null
  businessId: string | null
}

export interface Counts {
  /** In the file. */
  rows: number
  /** In our database. */
  recorded: number
  matched: number
  differences: Record<DifferenceKind, number>
}

/** Runs are kept forever, because there are few. */
export interface Reconciliation {
  _id: string
  /** UTC, e.g. `2026-11-25`. */
  day: string
  /** Null compares all live wallets. */
  wallet: string | null
  fileName: string
  sha256: string
  at: Date
  actor: Actor
  counts: Counts
  differences: Difference[]
}

export const maxStoredDifferences = 1000

export const reconciliations: Collection = {
  name: 'reconciliations',
  fields: {
    _id: String,
    day: String,
    wallet: String,
    fileName: String,
    sha256: String,
    at: Date,
    actor: { kind: { type: String }, name: String, from: String },
    counts: Schema.Types.Mixed,
    differences: [Schema.Types.Mixed],
  },
  indexes: [],
}

export const differenceCount = ({ differences }: Counts): number =>
  Object.values(differences).reduce((sum, count) => sum + count, 0)
