import type { Models } from '../collections.ts'
import type { Pace } from './pace.ts'

/** What a clean-up takes away, as its log line and its metric name it. */
export const kinds = [
  'deliveries',
  'intents',
  'movements',
  'orders',
  'products',
  'attempts',
  'answers',
] as const
export type Kind = (typeof kinds)[number]

/** One clean-up on its way. */
export interface Cleaning extends Models {
  /** What test keys made before this goes. */
  testsBefore: Date
  /** Of live deliveries made in this time the attempts go; null: they stay. */
  attempts: { from: Date | null; before: Date } | null
  /** Of what was made in this time the sealed first answer goes. */
  answers: { from: Date | null; before: Date }
  now: Date
  /** Counts, and takes nothing away. */
  isDry: boolean
  pace: Pace
  count(kind: Kind, documents: number): void
}
