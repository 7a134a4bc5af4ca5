import type { Chance } from '../../support/chance.ts'
import type { Burst, Deck } from './bursts.ts'
import { type PlannedFault, type ProcessName, processNames, typeOf } from './fault.ts'

/** The start time of a process on a busy machine. */
const startMs = 2000
const maxDownMs = 2000
/** How long a point stays armed, because a point of a rare operation may never be passed. */
const armedMs = 4000
/** Too short for a lease to expire. */
const shortStopMs = { min: 1000, max: 4500 }
/** Leases last 10 s and are renewed every 3 s. */
const longStopMs = { min: 11_000, max: 18_000 }
/** Longer than any lease, and longer than the lifetime of an idempotency key. */
const skewsMs = [111_000, 111_000, 25 * 3_600_000]
/** The shortest time that a fault needs. */
const minMs = maxDownMs + startMs + 1000
const weights = { 'process.point': 8, 'process.kill': 2, 'process.stop': 2, 'process.skew': 1 } as const

/**
 * The faults of the processes in a burst. If a night passes in the burst, every process is first armed with a point.
 * Only one process of each type is frozen for long, so that the other one keeps serving.
 */
export function processFaults(
  chance: Chance,
  burst: Burst,
  isNight: boolean,
  points: (target: ProcessName) => Deck<string>,
): PlannedFault[] {
  const frozenForLong = [chance.pick(['web-1', 'web-2']), chance.pick(['worker-1', 'worker-2'])]
  return processNames.flatMap((target) => {
    const point = points(target)
    const faults: PlannedFault[] = []
    let atMs = burst.fromMs + chance.whole(0, 2500)
    while (burst.toMs - atMs >= minMs) {
      const availableMs = burst.toMs - atMs
      const stopMs = (): number => {
        const isLong = frozenForLong.includes(target) && chance.is(0.5) && availableMs > longStopMs.min
        if (!isLong) return chance.whole(shortStopMs.min, shortStopMs.max)
        return chance.whole(longStopMs.min, Math.min(longStopMs.max, availableMs))
      }
      const what = isNight && faults.length === 0 ? 'process.point' : chance.weighted(weights)
      const fault = faultOf(what, target, atMs)
      faults.push(fault)
      atMs += busyMs(fault) + chance.whole(300, 1500)

      function faultOf(kind: keyof typeof weights, on: ProcessName, from: number): PlannedFault {
        const base = { target: on, atMs: from }
        if (kind === 'process.kill') return { what: kind, ...base, forMs: chance.whole(0, maxDownMs) }
        if (kind === 'process.stop') return { what: kind, ...base, forMs: stopMs() }
        if (kind === 'process.skew') {
          const aheadMs = chance.pick(skewsMs) * chance.pick([1, -1])
          return { what: kind, ...base, forMs: chance.whole(2000, Math.min(8000, availableMs)), aheadMs }
        }
        const deed = chance.pick(['kill', 'kill', 'stop'] as const)
        const awayMs = deed === 'kill' ? chance.whole(0, maxDownMs) : stopMs()
        const time = chance.pick([1, 1, 1, 2, 4])
        // In a night a worker is armed for long, because the clean-up passes each point once.
        const forMs = isNight && typeOf(on) === 'worker' ? Math.max(armedMs, availableMs - minMs) : armedMs
        return { what: kind, ...base, forMs, point: point(), time: isNight ? 1 : time, deed, awayMs }
      }
    }
    return faults
  })
}

/** How long a fault occupies its process. Most points are passed soon. */
function busyMs(fault: PlannedFault): number {
  if (fault.what === 'process.kill') return fault.forMs + startMs
  if (fault.what !== 'process.point') return fault.forMs
  return armedMs / 4 + fault.awayMs + (fault.deed === 'kill' ? startMs : 0)
}
