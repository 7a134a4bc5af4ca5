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
/** Between two: long enough for what a fault left behind to pass. */
const SHORT_QUIET = { fromMs: 8000, toMs: 11_000 }
/** Every second time: then also for some requests to be judged by their time. */
const LONG_QUIET = { fromMs: 22_000, toMs: 26_000 }
/**
 * Traffic alone at the end of a round, so that all promises about time are judged in it: for 10 s a fault may have left something behind, an
 * attempt is late after 15 s and twice its wait, which is 2 s at most, and so what is due in the 9 s between can be told as late.
 */
const LAST_QUIET_MS = 38_000
/** In a shorter one there is no time for that, and the faults count for more. */
const JUDGED_FROM_MS = 60_000

/** Stretches with faults, and between and after them stretches without any. */
export function burstsOf(chance: Chance, lengthMs: number): Burst[] {
  const endMs = lengthMs < JUDGED_FROM_MS ? lengthMs : lengthMs - LAST_QUIET_MS
  const bursts: Burst[] = []
  let fromMs = FIRST_AT_MS
  while (fromMs + SHORTEST_MS <= endMs) {
    const toMs = Math.min(fromMs + chance.whole(SHORTEST_MS, LONGEST_MS), endMs)
    bursts.push({ fromMs, toMs })
    const quiet = bursts.length % 2 === 0 ? LONG_QUIET : SHORT_QUIET
    fromMs = toMs + chance.whole(quiet.fromMs, quiet.toMs)
  }
  return bursts
}
