import { points } from '../build/edits.ts'
import type { PlannedFault } from '../nemesis/faults.ts'
import { processNames, typeOf } from '../round/process.ts'
import type { OperationName } from '../traffic/traffic.ts'

export interface Focus {
  seconds: number
  often: readonly OperationName[]
  points: readonly string[]
  deed: 'kill' | 'stop'
  awayMs: number
  faults: readonly Repeated[]
}

const hourMs = 3_600_000

const repeated = {
  'mongo.kill': { target: 'mongo', everyMs: 4000, forMs: 300 },
  'mongo.stop': { target: 'mongo', everyMs: 12_000, forMs: 6500 },
  'redis.flush': { target: 'redis', everyMs: 4000, forMs: 0 },
  'redis.empty': { target: 'redis', everyMs: 8000, forMs: 500 },
  'process.skew': { target: 'web-1', everyMs: 6000, forMs: 3000, aheadMs: 111_000 },
  'clock.jump': { target: 'all', everyMs: 20_000, forMs: 0, aheadMs: 25 * hourMs },
} as const

export type Repeated = keyof typeof repeated

export function planOf(focus: Focus): PlannedFault[] {
  const faults = [...focus.faults.flatMap((what) => repeat(what, focus.seconds * 1000)), ...atPoints(focus)]
  return faults.toSorted((one, other) => one.atMs - other.atMs)
}

function repeat(what: Repeated, endMs: number): PlannedFault[] {
  const { everyMs, ...fault } = repeated[what]
  const count = what === 'clock.jump' ? 1 : Math.floor((endMs - fault.forMs) / everyMs)
  const at = (index: number) => ({ what, ...fault, atMs: (index + 0.5) * everyMs }) as PlannedFault
  return Array.from({ length: count }, (_, index) => at(index))
}

const firstAtMs = 2000
const killEveryMs = 5000
const stopEveryMs = 3000
const armedMs = 6000

/** Each process stops or dies at its points one after another. The other of its type follows half a period later. */
function atPoints({ seconds, points: names, deed, awayMs }: Focus): PlannedFault[] {
  const everyMs = deed === 'kill' ? killEveryMs : awayMs + stopEveryMs
  return processNames.flatMap((target) => {
    const own = points.filter(({ name, process }) => names.includes(name) && process === typeOf(target))
    const count = own.length === 0 ? 0 : Math.floor((seconds * 1000 - firstAtMs) / everyMs)
    const isSecond = Number(target.endsWith('2'))
    const first = isSecond * Math.ceil(own.length / 2)
    return Array.from({ length: count }, (_, index) => ({
      what: 'process.point' as const,
      target,
      atMs: firstAtMs + (index + isSecond / 2) * everyMs,
      forMs: armedMs,
      order: { point: own[(index + first) % own.length]?.name ?? '', time: 1 + (index % 3), deed, awayMs },
    }))
  })
}
