import type { Edit } from '../../support/edited-build/edit.ts'
import type { OperationName } from '../traffic/operations.ts'
import type { Repeated } from './plan.ts'

/** A copy of the service with one planted bug, which a fault run must find. */
export interface Mutant {
  name: string
  /** One sentence. */
  bug: string
  edits: readonly Edit[]
  /** Promises, one of which must be reported as broken, or the test file that must fail (`api/refund.test.ts`). */
  caughtBy: readonly string[]
  focus: Focus
}

/** Planted bugs by name, by default in plain traffic. */
export type PlantedBugs = { [name: string]: Omit<Mutant, 'name' | 'focus'> & { focus?: Focus } }

/** The emphasis of a round, so that the bug shows soon. */
export interface Focus {
  /** How long the traffic lasts. */
  seconds: number
  /** The operations that the traffic performs ten times as often. */
  often: readonly OperationName[]
  /** The points at which processes die, or stop for `awayMs`. */
  points: readonly string[]
  deed: 'kill' | 'stop'
  awayMs: number
  /** Other faults, repeated (plan.ts). */
  faults: readonly Repeated[]
}

/** No faults, because the bug shows in plain traffic. */
export const plain: Focus = { seconds: 10, often: [], points: [], deed: 'kill', awayMs: 300, faults: [] }

/** Processes die at these points. */
export const killedAt = (...points: string[]): Focus => ({ ...plain, seconds: 22, points })

/** Processes stop at these points for long enough that a concurrent request overtakes them. */
export const pausedAt = (...points: string[]): Focus => {
  return { ...plain, seconds: 22, points, deed: 'stop', awayMs: 1500 }
}

/** Processes stop at these points for longer than a lease, which lasts 10 s. */
export const frozenAt = (...points: string[]): Focus => {
  return { ...plain, seconds: 40, points, deed: 'stop', awayMs: 16_000 }
}

/** These faults are repeated. */
export const under = (...faults: Repeated[]): Focus => ({ ...plain, seconds: 30, faults })
