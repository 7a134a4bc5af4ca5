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
const MONTH_MS = 31 * 24 * HOUR_MS
/** A day and an hour: idempotency keys are free again, and a night has passed. A month: what the sandbox made is too old. None: twice as often. */
const jumps = [0, 25 * HOUR_MS, 0, MONTH_MS]

/** The points of a clean-up that has nothing to take, and is soon at its end. One that has much is not there before its burst is over. */
const ofNothingOld = ['clean-up.taken', 'clean-up.before-end']
const isReachedAfter = (aheadMs: number, point: string): boolean =>
  aheadMs === MONTH_MS ? point !== 'clean-up.before-end' : ofNothingOld.includes(point)

/** So much of a deck is dealt in a second of a round; the next round goes on from there. */
const POINTS_PER_SECOND = 1 / 14
/** As many are dealt at least, as each worker is armed with one; the next night of its kind goes on from there. */
const POINTS_PER_NIGHT = 2

/** What is done in a round, in the order of time. The same round has the same plan. */
export function planOf(round: Planning): PlannedFault[] {
  const chance = chanceOf(round.seed, 'plan', round.round)
  const bursts = burstsOf(chance, round.seconds * 1000)
  const aheadMs = jumpOf(round)
  const jumpAt = aheadMs === 0 ? undefined : nightOf(bursts)
  const deal = decksOf(round, chance, aheadMs)
  const faults = bursts.flatMap((burst) => [
    ...processFaults(chance, burst, burst === jumpAt, burst === jumpAt ? deal.night : deal.day),
    ...serverFault(chance, burst, redisFaults, deal.redis),
    ...serverFault(chance, burst, faultsOfMongo(round.servers), deal.mongo),
    ...receiverFaults(chance, burst, round.manners, deal.receivers),
    ...(burst === jumpAt ? [jump(burst, aheadMs)] : []),
  ])
  return faults.toSorted((one, other) => one.atMs - other.atMs)
}

/** Each of the jumps in four rounds. */
const jumpOf = ({ seed, round }: Planning): number => deckOf(chanceOf(seed, 'jumps'), jumps, round)()

/** The longest of the middle third: with things before it that are old after it, with time for its points, and with traffic after it. */
function nightOf(bursts: readonly Burst[]): Burst | undefined {
  const from = Math.floor(bursts.length / 3)
  const middle = bursts.slice(from, Math.max(from + 1, Math.ceil((2 * bursts.length) / 3)))
  return middle.toSorted((one, other) => other.toMs - other.fromMs - (one.toMs - one.fromMs))[0]
}

/** In the first seconds of a round there is hardly anything yet that could be old. */
const YOUNG_MS = 10_000

/** Early in its burst: the points of the clean-up are armed by then, and the poll that asks for it comes within seconds. */
const jump = ({ fromMs }: Burst, aheadMs: number): PlannedFault => ({
  what: 'clock.jump',
  target: 'all',
  atMs: Math.max(YOUNG_MS, fromMs + 2500),
  forMs: 0,
  aheadMs,
})

function decksOf(
  { seed, round, servers, seconds, points, manners }: Planning,
  chance: Chance,
  aheadMs: number,
) {
  const first = Math.floor(round * seconds * POINTS_PER_SECOND)
  const ofDay = (type: ProcessType) =>
    points.filter(({ name, process }) => process === type && !isOfNight(name)).map(({ name }) => name)
  const ofNight = points
    .filter(({ name }) => isOfNight(name) && isReachedAfter(aheadMs, name))
    .map(({ name }) => name)
  const firstOfNight = Math.floor((round - 1) / jumps.length) * POINTS_PER_NIGHT
  const [web, worker, night] = [
    deckOf(chanceOf(seed, 'points', 'web'), ofDay('web'), first),
    deckOf(chanceOf(seed, 'points', 'worker'), ofDay('worker'), first),
    deckOf(chanceOf(seed, 'points', 'worker'), ofNight, firstOfNight),
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
