import { type Chance, chanceOf } from '../traffic/chance.ts'
import { type Burst, burstsOf } from './bursts.ts'
import { type Deck, deckOf } from './deck.ts'
import {
  type Kind,
  type PlannedFault,
  type ProcessName,
  type ProcessType,
  type Servers,
  typeOf,
} from './fault.ts'
import { processFaults } from './process-faults.ts'
import { type Manners, receiverFaults } from './receiver-faults.ts'
import { faultsOfMongo, redisFaults, serverFault } from './server-faults.ts'

/** What a plan follows from. */
export interface Planning {
  /** Of the run; and which of its rounds this is, from 1. */
  seed: number
  round: number
  servers: Servers
  seconds: number
  points: readonly { name: string; process: ProcessType }[]
  manners: Manners
}

/** Those of the clean-up are passed only in the night after a jump of the clock. */
const isOfNight = (point: string): boolean => point.startsWith('clean-up.')

const HOUR_MS = 3_600_000
/** A day and an hour: idempotency keys are free again, and a night has passed. A month: what the sandbox made is too old. None: twice as often. */
const jumps = [0, 25 * HOUR_MS, 0, 31 * 24 * HOUR_MS]

/** So much of a deck is dealt in a second of a round; the next round goes on from there. */
const POINTS_PER_SECOND = 1 / 14
const POINTS_PER_NIGHT = 3

/** What is done in a round, in the order of time. The same round has the same plan. */
export function planOf(round: Planning): PlannedFault[] {
  const chance = chanceOf(round.seed, 'plan', round.round)
  const bursts = burstsOf(chance, round.seconds * 1000)
  const aheadMs = jumpOf(round)
  const jumpAt = aheadMs === 0 ? undefined : bursts[Math.floor(bursts.length / 2)]
  const deal = decksOf(round, chance)
  const faults = bursts.flatMap((burst) => [
    ...processFaults(chance, burst, burst === jumpAt ? deal.night : deal.day),
    ...serverFault(chance, burst, redisFaults, deal.redis),
    ...serverFault(chance, burst, faultsOfMongo(round.servers), deal.mongo),
    ...receiverFaults(chance, burst, round.manners, deal.receivers),
    ...(burst === jumpAt ? [jump(burst, aheadMs)] : []),
  ])
  return faults.toSorted((one, other) => one.atMs - other.atMs)
}

/** Each of the jumps in four rounds. */
const jumpOf = ({ seed, round }: Planning): number => deckOf(chanceOf(seed, 'jumps'), jumps, round)()

/** In the first seconds of a round there is hardly anything yet that could be old. */
const YOUNG_MS = 10_000

/** Early in its burst: the points of the clean-up are armed by then, and the sweep that asks for it comes within seconds. */
const jump = ({ fromMs }: Burst, aheadMs: number): PlannedFault => ({
  what: 'clock.jump',
  target: 'all',
  atMs: Math.max(YOUNG_MS, fromMs + 2500),
  forMs: 0,
  aheadMs,
})

function decksOf({ seed, round, servers, seconds, points, manners }: Planning, chance: Chance) {
  const first = Math.floor(round * seconds * POINTS_PER_SECOND)
  const pointsOf = (type: ProcessType, isNight: boolean) =>
    points
      .filter(({ name, process }) => process === type && isOfNight(name) === isNight)
      .map(({ name }) => name)
  const [web, worker, night] = [
    deckOf(chanceOf(seed, 'points', 'web'), pointsOf('web', false), first),
    deckOf(chanceOf(seed, 'points', 'worker'), pointsOf('worker', false), first),
    deckOf(chanceOf(seed, 'points', 'worker'), pointsOf('worker', true), round * POINTS_PER_NIGHT),
  ]
  const kindsOf = (lasting: object) => Object.keys(lasting) as Kind[]
  return {
    day: (target: ProcessName): Deck<string> => (typeOf(target) === 'web' ? web : worker),
    night: (target: ProcessName): Deck<string> => (typeOf(target) === 'web' ? web : night),
    redis: deckOf(chance, kindsOf(redisFaults), 0),
    mongo: deckOf(chance, kindsOf(faultsOfMongo(servers)), 0),
    receivers: deckOf(chance, [...manners.keys()], 0),
  }
}
