import { points } from '../build/points.ts'
import { type PlannedFault, type ProcessName, processNames, typeOf } from '../plan/fault.ts'
import type { Focus } from './mutant.ts'

/** The round begins without faults, so that there is data. */
const FIRST_AT_MS = 2000
/** A process passes a frequent point at once, and starts within two seconds. */
const KILL_EVERY_MS = 5000
/** How long a point waits to be passed. Points of rare operations may be passed late, or never. */
const ARMED_MS = 6000
/** In addition to the time for which the process is stopped. */
const STOP_EVERY_MS = 3000

const DAY_MS = 24 * 3_600_000

/** Faults of servers and clocks. The service recovers in between. */
const repeated = {
  'mongo.kill': { target: 'mongodb', everyMs: 4000, forMs: 300 },
  // The driver times out after 5 s. MongoDB carries out its commands afterwards.
  'mongo.stop': { target: 'mongodb', everyMs: 12_000, forMs: 6500 },
  'redis.flush': { target: 'redis', everyMs: 4000, forMs: 0 },
  'redis.empty': { target: 'redis', everyMs: 8000, forMs: 500 },
  // Longer than the lifetime of an intent.
  'process.skew': { target: 'web-1', everyMs: 6000, forMs: 3000, aheadMs: 111_000 },
  // Once, over a night.
  'clock.jump': { target: 'all', everyMs: 20_000, forMs: 0, aheadMs: DAY_MS + 3_600_000 },
} as const

export type Repeated = keyof typeof repeated

/** The faults of a round, in the order of time. */
export function planOf({ seconds, faults, ...focus }: Focus): PlannedFault[] {
  const endMs = seconds * 1000
  return [...faults.flatMap((what) => repeat(what, endMs)), ...atPoints(focus, endMs)].toSorted(
    (one, other) => one.atMs - other.atMs,
  )
}

function repeat(what: Repeated, endMs: number): PlannedFault[] {
  const { everyMs, ...fault } = repeated[what]
  const count = what === 'clock.jump' ? 1 : Math.floor((endMs - fault.forMs) / everyMs)
  // The first fault comes after half a period.
  const at = (index: number) => ({ what, ...fault, atMs: (index + 0.5) * everyMs }) as PlannedFault
  return Array.from({ length: count }, (_, index) => at(index))
}

/** Each process stops or dies at its points in turn. The other of its type follows half a period later. */
function atPoints({ points: names, deed, awayMs }: Pick<Focus, 'points' | 'deed' | 'awayMs'>, endMs: number) {
  const everyMs = deed === 'kill' ? KILL_EVERY_MS : awayMs + STOP_EVERY_MS
  return processNames.flatMap((target) => {
    const own = points.filter(({ name, process }) => names.includes(name) && process === typeOf(target))
    const count = own.length === 0 ? 0 : Math.floor((endMs - FIRST_AT_MS) / everyMs)
    const first = isSecond(target) * Math.ceil(own.length / 2)
    return Array.from({ length: count }, (_, index) => ({
      what: 'process.point' as const,
      target,
      atMs: FIRST_AT_MS + (index + isSecond(target) / 2) * everyMs,
      forMs: ARMED_MS,
      point: own[(index + first) % own.length]?.name ?? '',
      // The 1st, 2nd or 3rd passing.
      time: 1 + (index % 3),
      deed,
      awayMs,
    }))
  })
}

const isSecond = (target: ProcessName): 0 | 1 => (target.endsWith('2') ? 1 : 0)
