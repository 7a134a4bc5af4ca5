import type { Chance } from '../traffic/chance.ts'

/** A stretch with faults: all of them begin and are healed within it. */
export interface Burst {
  fromMs: number
  toMs: number
}

/** Traffic alone at the start, so that there is something to break. */
const FIRST_AT_MS = 2500
/** The longest fault of all, a process frozen for longer than every lease, fits into a long one. */
const SHORTEST_MS = 10_000
const LONGEST_MS = 22_000
/** Between two: long enough for what a fault left behind to pass, and then for promises about time to be judged. */
const SHORTEST_QUIET_MS = 8000
const LONGEST_QUIET_MS = 11_000

/** Stretches with faults and, `inTurn`, without any between them: then that is about 38 % of the time. */
export function burstsOf(chance: Chance, lengthMs: number, inTurn: boolean): Burst[] {
  const bursts: Burst[] = []
  let fromMs = FIRST_AT_MS
  while (fromMs + SHORTEST_MS <= lengthMs) {
    const toMs = Math.min(fromMs + chance.whole(SHORTEST_MS, LONGEST_MS), lengthMs)
    bursts.push({ fromMs, toMs })
    fromMs = toMs + (inTurn ? chance.whole(SHORTEST_QUIET_MS, LONGEST_QUIET_MS) : 0)
  }
  return bursts
}
