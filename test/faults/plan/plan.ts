import { type Chance, chanceOf } from '../../support/chance.ts'
import { type Burst, burstsOf, type Deck, deckOf } from './bursts.ts'
import { type Kind, type PlannedFault, type ProcessName, type ProcessType, type Servers, typeOf } from './fault.ts'
import { processFaults } from './process-faults.ts'
import { behavioursByTarget, endpointFaults, mongoFaults, redisFaults, serverFault } from './server-faults.ts'

/** The parameters that determine a plan. */
export interface Planning {
  /** The seed of the run. */
  seed: number
  /** From 1. */
  round: number
  servers: Servers
  seconds: number
  points: readonly { name: string; process: ProcessType }[]
}

const hourMs = 3_600_000
const monthMs = 31 * 24 * hourMs
/** After 25 hours, idempotency keys have expired and a night has passed. After a month, the sandbox's data is old. */
const jumps = [0, 25 * hourMs, 0, monthMs]
/** The clean-up passes its points only in the night after a jump, and only some of them if there is no old data. */
const isOfNight = (point: string): boolean => point.startsWith('clean-up.')
const withoutOldData = ['clean-up.taken', 'clean-up.before-end']
const isPassedAfter = (aheadMs: number, point: string): boolean =>
  aheadMs === monthMs ? point !== 'clean-up.before-end' : withoutOldData.includes(point)

/** How many cards of a deck a round uses per second, and per night. The next round uses the following cards. */
const pointsPerSecond = 1 / 14
const pointsPerNight = 2
/** Before this, there is hardly any data that could become old. */
const jumpFromMs = 10_000

/** The faults of a round, in the order of time. */
export function planOf(round: Planning): PlannedFault[] {
  const chance = chanceOf(round.seed, 'plan', round.round)
  const bursts = burstsOf(chance, round.seconds * 1000)
  const aheadMs = deckOf(chanceOf(round.seed, 'jumps'), jumps, round.round)()
  const night = aheadMs === 0 ? undefined : nightOf(bursts)
  const decks = decksOf(round, chance, aheadMs)
  const faults = bursts.flatMap((burst) => [
    ...processFaults(chance, burst, burst === night, burst === night ? decks.night : decks.day),
    ...serverFault(chance, burst, redisFaults, decks.redis),
    ...serverFault(chance, burst, mongoFaults[round.servers], decks.mongo),
    ...endpointFaults(chance, burst, decks.endpoints),
    // Early in its burst, when the points of the clean-up are armed.
    ...(burst === night ? [jump(Math.max(jumpFromMs, burst.fromMs + 2500), aheadMs)] : []),
  ])
  return faults.toSorted((one, other) => one.atMs - other.atMs)
}

const jump = (atMs: number, aheadMs: number): PlannedFault => {
  return { what: 'clock.jump', target: 'all', atMs, forMs: 0, aheadMs }
}

/** The longest burst of the middle third, so that there is traffic before and after it. */
function nightOf(bursts: readonly Burst[]): Burst | undefined {
  const from = Math.floor(bursts.length / 3)
  const middle = bursts.slice(from, Math.max(from + 1, Math.ceil((2 * bursts.length) / 3)))
  return middle.toSorted((one, other) => other.toMs - other.fromMs - (one.toMs - one.fromMs))[0]
}

function decksOf({ seed, round, servers, seconds, points }: Planning, chance: Chance, aheadMs: number) {
  const first = Math.floor(round * seconds * pointsPerSecond)
  const firstOfNight = Math.floor((round - 1) / jumps.length) * pointsPerNight
  const day = (type: ProcessType): Deck<string> => {
    const own = points.filter(({ name, process }) => process === type && !isOfNight(name))
    return deckOf(
      chanceOf(seed, 'points', type),
      own.map(({ name }) => name),
      first,
    )
  }
  const ofNight = points.map(({ name }) => name).filter((name) => isOfNight(name) && isPassedAfter(aheadMs, name))
  const [web, worker] = [day('web'), day('worker')]
  const night = deckOf(chanceOf(seed, 'points', 'worker'), ofNight, firstOfNight)
  return {
    day: (target: ProcessName): Deck<string> => (typeOf(target) === 'web' ? web : worker),
    night: (target: ProcessName): Deck<string> => (typeOf(target) === 'web' ? web : night),
    redis: deckOf(chance, Object.keys(redisFaults) as Kind[], 0),
    mongo: deckOf(chance, Object.keys(mongoFaults[servers]) as Kind[], 0),
    endpoints: deckOf(chance, [...behavioursByTarget.keys()], 0),
  }
}
