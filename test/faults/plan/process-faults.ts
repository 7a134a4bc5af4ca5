import type { Chance } from '../traffic/chance.ts'
import type { Burst } from './bursts.ts'
import type { Deck } from './deck.ts'
import { type PlannedFault, type ProcessName, processNames, typeOf } from './fault.ts'

/** What a process takes to serve again, on a machine that does much else. */
const START_MS = 2000
/** A process that dies is missed for so long at most before it is started again. */
const LONGEST_DOWN_MS = 2000
/** A point of an operation that is seldom asked for may never be passed. */
const ARMED_MS = 4000
/** Nobody's lease is over by then. */
const SHORT_STOP_MS = 4500
/** Leases last 10 s and are renewed every 3 s. */
const LONG_STOP_MS = 11_000
const LONGEST_STOP_MS = 18_000
/** Longer than any lease and any order to a wallet; and longer than the day that idempotency keys last. */
const SKEWS_MS = [111_000, 111_000, 25 * 3_600_000]

/** The least that a fault needs: one that is killed and missed for as long as that may be. */
const LEAST_MS = LONGEST_DOWN_MS + START_MS + 1000

interface Ask {
  chance: Chance
  target: ProcessName
  atMs: number
  /** Until the end of the burst. */
  roomMs: number
  isFrail: boolean
  /** A night passes in this burst. */
  isNight: boolean
  point: Deck<string>
}

/** In a night it is armed for as long as a death has room: whichever of the workers has the clean-up comes there once, who knows when. */
const armedMs = ({ isNight, target, roomMs }: Ask): number =>
  isNight && typeOf(target) === 'worker' ? Math.max(ARMED_MS, roomMs - LEAST_MS) : ARMED_MS

const draw = {
  'process.kill': ({ chance, target, atMs }: Ask) =>
    ({ what: 'process.kill', target, atMs, forMs: chance.whole(0, LONGEST_DOWN_MS) }) as const,
  'process.stop': (ask: Ask) =>
    ({
      what: 'process.stop',
      target: ask.target,
      atMs: ask.atMs,
      forMs: stopMs(ask),
    }) as const,
  'process.skew'({ chance, target, atMs, roomMs }: Ask) {
    const aheadMs = chance.pick(SKEWS_MS) * chance.pick([1, -1])
    return {
      what: 'process.skew',
      target,
      atMs,
      forMs: chance.whole(2000, Math.min(8000, roomMs)),
      aheadMs,
    } as const
  },
  'process.point'(ask: Ask) {
    const { chance, target, atMs } = ask
    const point = ask.point()
    const deed = chance.pick(['kill', 'kill', 'stop'] as const)
    const awayMs = deed === 'kill' ? chance.whole(0, LONGEST_DOWN_MS) : stopMs(ask)
    const drawn = chance.pick([1, 1, 1, 2, 4])
    const time = ask.isNight ? 1 : drawn
    return { what: 'process.point', target, atMs, forMs: armedMs(ask), point, time, deed, awayMs } as const
  },
}

const weights = { 'process.point': 8, 'process.kill': 2, 'process.stop': 2, 'process.skew': 1 } as const

/** Of the frail one half are long where there is room for it. */
const stopMs = ({ chance, roomMs, isFrail }: Ask): number =>
  isFrail && chance.is(0.5) && roomMs > LONG_STOP_MS
    ? chance.whole(LONG_STOP_MS, Math.min(LONGEST_STOP_MS, roomMs))
    : chance.whole(1000, SHORT_STOP_MS)

/**
 * What is done to the processes in a burst; where a night passes in it, each is armed first. Of each type only one is ever frozen for long,
 * so that what is asked for is done by somebody soon.
 */
export function processFaults(
  chance: Chance,
  burst: Burst,
  isNight: boolean,
  points: (target: ProcessName) => Deck<string>,
): PlannedFault[] {
  const frail = new Set([chance.pick(['web-1', 'web-2']), chance.pick(['worker-1', 'worker-2'])])
  const faults = processNames.flatMap((target) => {
    const point = points(target)
    const own: PlannedFault[] = []
    let atMs = burst.fromMs + chance.whole(0, 2500)
    while (burst.toMs - atMs >= LEAST_MS) {
      const isFirstOfNight = isNight && own.length === 0
      const kind = isFirstOfNight ? 'process.point' : chance.weighted(weights)
      const roomMs = burst.toMs - atMs
      const fault = draw[kind]({ chance, target, atMs, roomMs, isFrail: frail.has(target), isNight, point })
      own.push(fault)
      atMs += busyMs(fault) + chance.whole(300, 1500)
    }
    return own
  })
  return faults.map((fault) => (isMissed(fault, faults) ? standingStill(fault) : fault))
}

/** How long a process has to do with a fault, as a rule: most points are passed soon. */
function busyMs(fault: PlannedFault): number {
  if (fault.what === 'process.kill') return fault.forMs + START_MS
  if (fault.what !== 'process.point') return fault.forMs
  return ARMED_MS / 4 + fault.awayMs + (fault.deed === 'kill' ? START_MS : 0)
}

/** Whether it would die while the other of its type stands still for long: then nobody would serve, and so it would not be done. */
const isMissed = (fault: PlannedFault, all: readonly PlannedFault[]): boolean =>
  (fault.what === 'process.kill' || (fault.what === 'process.point' && fault.deed === 'kill')) &&
  all.some(
    (other) =>
      other.target !== fault.target &&
      other.target.split('-')[0] === fault.target.split('-')[0] &&
      frozenMs(other) >= LONG_STOP_MS &&
      other.atMs <= fault.atMs + fault.forMs &&
      fault.atMs <= other.atMs + frozenMs(other) + (other.what === 'process.point' ? other.forMs : 0),
  )

const frozenMs = (fault: PlannedFault): number => {
  if (fault.what === 'process.stop') return fault.forMs
  return fault.what === 'process.point' && fault.deed === 'stop' ? fault.awayMs : 0
}

/** For as long as it would have been dead, which is not for long. */
function standingStill(fault: PlannedFault): PlannedFault {
  if (fault.what === 'process.kill') return { ...fault, what: 'process.stop', forMs: fault.forMs + START_MS }
  if (fault.what === 'process.point') return { ...fault, deed: 'stop', awayMs: fault.awayMs + START_MS }
  return fault
}
