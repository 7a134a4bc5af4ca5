import { points } from '../build/points.ts'
import { type PlannedFault, type ProcessName, processNames, typeOf } from '../plan/fault.ts'
import type { Focus } from './mutant.ts'

/** Traffic alone at first, so that there is something to break. */
const FIRST_AT_MS = 2000
/** What is asked for often is passed at once, and a process starts in a second or two: what is late is done as soon as it can be. */
const KILL_EVERY_MS = 5000
/** A point of an operation that is seldom asked for may be passed late, or never. */
const ARMED_MS = 6000
/** Beside the time for which it stands still. */
const STOP_EVERY_MS = 3000

const DAY_MS = 24 * 3_600_000

/** Faults of servers and clocks, as often as the service has come to itself in between. */
const repeated = {
  'mongo.kill': { target: 'mongodb', everyMs: 4000, forMs: 300 },
  // The driver gives up after 5 s; what it sent is carried out when MongoDB goes on.
  'mongo.stop': { target: 'mongodb', everyMs: 12_000, forMs: 6500 },
  'redis.flush': { target: 'redis', everyMs: 4000, forMs: 0 },
  'redis.empty': { target: 'redis', everyMs: 8000, forMs: 500 },
  // Longer than an intent lives.
  'process.skew': { target: 'web-1', everyMs: 6000, forMs: 3000, aheadMs: 111_000 },
  // Once: a night passes, and nothing is older than a day and an hour.
  'clock.jump': { target: 'all', everyMs: 20_000, forMs: 0, aheadMs: DAY_MS + 3_600_000 },
} as const

export type Repeated = keyof typeof repeated

/** What is done in the round of a mutant, in the order of time: always the same. */
export function planOf({ seconds, faults, ...focus }: Focus): PlannedFault[] {
  const endMs = seconds * 1000
  return [...faults.flatMap((what) => repeat(what, endMs)), ...atPoints(focus, endMs)].toSorted(
    (one, other) => one.atMs - other.atMs,
  )
}

function repeat(what: Repeated, endMs: number): PlannedFault[] {
  const { everyMs, ...fault } = repeated[what]
  const count = what === 'clock.jump' ? 1 : Math.floor((endMs - fault.forMs) / everyMs)
  // Not at the very beginning: the first half of a period each is traffic alone.
  return Array.from({ length: count }, (_, index) => ({
    what,
    ...fault,
    atMs: (index + 0.5) * everyMs,
  })) as PlannedFault[]
}

/** Each process goes round the points that it passes; the second of a type half a period after the first, so that one serves. */
function atPoints(
  { points: names, deed, awayMs }: Omit<Focus, 'seconds' | 'faults'>,
  endMs: number,
): PlannedFault[] {
  const everyMs = deed === 'kill' ? KILL_EVERY_MS : awayMs + STOP_EVERY_MS
  return processNames.flatMap((target) => {
    const own = points.filter(({ name, process }) => names.includes(name) && process === typeOf(target))
    const count = own.length === 0 ? 0 : Math.floor((endMs - FIRST_AT_MS) / everyMs)
    return Array.from({ length: count }, (_, index) => ({
      what: 'process.point' as const,
      target,
      atMs: FIRST_AT_MS + (index + isSecond(target) / 2) * everyMs,
      forMs: ARMED_MS,
      point: own[(index + isSecond(target)) % own.length]?.name ?? '',
      // Not always the first that passes.
      time: 1 + (index % 3),
      deed,
      awayMs,
    }))
  })
}

const isSecond = (target: ProcessName): 0 | 1 => (target.endsWith('2') ? 1 : 0)
