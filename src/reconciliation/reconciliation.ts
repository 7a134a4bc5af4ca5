import { Schema } from 'mongoose'
import type { Actor } from '../audit/audit-event.ts'
import type { Collection } from '../mongo/collection.ts'
import type { Difference, DifferenceKind } from './differences.ts'

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

/** One comparison of a provider's file with the records of one UTC day. Runs are kept forever, because they are few. */
export interface Reconciliation {
  _id: string
  /** The UTC day, such as `2026-11-25`. */
  day: string
  /** The only wallet whose payments were compared, or null if all live wallets were. */
  wallet: string | null
  fileName: string
  /** The SHA-256 of the file in hex. */
  sha256: string
  at: Date
  actor: Actor
  counts: Counts
  /** The first `maxStored` differences. */
  differences: Difference[]
}

/** The maximum number of differences that are stored with a run. */
export const maxStored = 1000

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
