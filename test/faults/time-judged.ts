import type { Verdict } from './checker/check.ts'
import { timed } from './checker/round.ts'

type Judging = Pick<Verdict, 'checked' | 'busy'>

/** A run of fewer seconds need not have a stretch that is long enough for everything, without a fault and on a machine that keeps time. */
const LEAST_SECONDS = 300

/** What of a round could be judged by its time: `time checked: answer.sound 812, …`, or that the machine had too much to do. */
export function timeJudged({ checked, busy }: Judging): string {
  const seconds = `the machine was busy for ${inSeconds(busy.ms)} of ${inSeconds(busy.ofMs)} s`
  if (busy.isMostly) return `time not judged, as ${seconds}`
  const counts = timed.map((promise) => `${promise} ${checked[promise]}`).join(', ')
  return `time checked: ${counts}${busy.ms === 0 ? '' : ` (${seconds})`}`
}

/** What a run of so many seconds of traffic proves nothing about, or not all it looks like: each in a sentence. */
export function unproved(rounds: readonly Judging[], seconds: number): string[] {
  if (seconds < LEAST_SECONDS) return []
  const never = timed.filter((promise) => rounds.every(({ checked }) => checked[promise] === 0))
  return never.map((promise) => `${promise} could tell of nothing that it is late`)
}

/** In how many rounds of a run no promise about time was judged; empty where there is none. */
export function notJudged(rounds: readonly Judging[]): string[] {
  const busy = rounds.filter(({ busy: { isMostly } }) => isMostly).length
  if (busy === 0) return []
  return [`Time was not judged in ${busy} of ${rounds.length} rounds: the machine had too much else to do`]
}

const inSeconds = (ms: number): number => Math.round(ms / 1000)
