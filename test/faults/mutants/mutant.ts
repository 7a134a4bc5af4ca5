import type { Edit } from '../build/edit.ts'
import type { OperationName } from '../traffic/operations.ts'
import type { Repeated } from './plan.ts'

/** A copy of the service with one planted bug, which a run of faults must find. */
export interface Mutant {
  name: string
  /** The bug, in words. */
  says: string
  edits: Edit[]
  /** The promise that must be told as broken; where it is chance which, those of which one must. */
  caughtBy: readonly string[]
  focus: Focus
  /** Not of the dozen that are tried in any case, as they differ most: only `--mutants all`, or its name, tries this one too. */
  isOneMore?: true
}

/** What a round dwells on, so that the bug shows in it within half a minute. */
export interface Focus {
  /** How long there is traffic. */
  seconds: number
  /** What the traffic does ten times as often as it would. */
  often: readonly OperationName[]
  /** At which points processes die, or stand still for so long. */
  points: readonly string[]
  deed: 'kill' | 'stop'
  awayMs: number
  /** What else is done to the service, again and again (plan.ts). */
  faults: readonly Repeated[]
}

/** No fault at all: the bug shows in plain traffic. */
export const plain: Focus = {
  seconds: 10,
  often: [],
  points: [],
  deed: 'kill',
  awayMs: 300,
  faults: [],
}

/** Processes die at these points, and nothing else is done. */
export const killedAt = (...points: string[]): Focus => ({ ...plain, seconds: 22, points })

/** Processes stand still at these points for as long as it takes somebody else to be quicker. */
export const pausedAt = (...points: string[]): Focus => ({
  ...plain,
  seconds: 22,
  points,
  deed: 'stop',
  awayMs: 1500,
})

/** Processes stand still at these points for longer than a lease lasts, which is 10 s. */
export const frozenAt = (...points: string[]): Focus => ({
  ...plain,
  seconds: 40,
  points,
  deed: 'stop',
  awayMs: 16_000,
})

/** These faults, again and again. */
export const under = (...faults: Repeated[]): Focus => ({ ...plain, seconds: 30, faults })
