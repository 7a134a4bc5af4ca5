import { type Chance, chanceOf } from '../traffic/chance.ts'
import { type Burst, burstsOf } from './bursts.ts'
import { type Deck, deckOf } from './deck.ts'
import { type Focus, type Kind, type PlannedFault, type ProcessType, type Servers, typeOf } from './fault.ts'
import { processFaults } from './process-faults.ts'
import { type Manners, receiverFaults } from './receiver-faults.ts'
import { faultsOfMongo, redisFaults, serverFault } from './server-faults.ts'

export interface Round {
  /** Of the run; and which of its rounds this is, from 1. */
  seed: number
  round: number
  servers: Servers
  seconds: number
  points: readonly { name: string; process: ProcessType }[]
  manners: Manners
  /** null: everything, all alike. */
  focus: Focus | null
}

/** Those of the clean-up are passed only in the night after a jump of the clock. */
const isOfNight = (point: string): boolean => point.startsWith('clean-up.')

const HOUR_MS = 3_600_000
/** A day and an hour: idempotency keys are free again, and a night has passed. A month: what the sandbox made is too old. None: twice as often. */
const jumps = [0, 25 * HOUR_MS, 0, 31 * 24 * HOUR_MS]

/** So much of a deck is dealt in a second of a round; the next round goes on from there. */
const POINTS_PER_SECOND = 1 / 9
const POINTS_PER_NIGHT = 3

/** What is done in a round, in the order of time. The same round has the same plan. */
export function planOf(round: Round): PlannedFault[] {
  const chance = chanceOf(round.seed, 'plan', round.round)
  const bursts = burstsOf(chance, round.seconds * 1000, round.focus === null)
  const aheadMs = jumpOf(round)
  const jumpAt = aheadMs === 0 ? undefined : bursts[Math.floor(bursts.length / 2)]
  const deal = decksOf(round, chance)
  const faults = bursts.flatMap((burst) => [
    ...processFaults(chance, burst, burst === jumpAt ? deal.night : deal.day, wantedBy(round.focus)),
    ...serverFault(chance, burst, redisFaults, deal.redis),
    ...serverFault(chance, burst, faultsOfMongo(round.servers), deal.mongo),
    ...(deal.receivers === null ? [] : receiverFaults(chance, burst, round.manners, deal.receivers)),
    ...(burst === jumpAt ? [jump(burst, aheadMs)] : []),
  ])
  return faults.toSorted((one, other) => one.atMs - other.atMs)
}

/** Each of the jumps in four rounds; of rounds with a focus none, unless it asks for one: then the longest. */
function jumpOf({ seed, round, focus }: Round): number {
  if (focus !== null) return focus.faults.includes('clock.jump') ? Math.max(...jumps) : 0
  return deckOf(chanceOf(seed, 'jumps'), jumps, round)()
}

const wantedBy =
  (focus: Focus | null) =>
  (kind: Kind): boolean =>
    focus === null || focus.faults.includes(kind) || (kind === 'process.point' && focus.points.length > 0)

/** Early in its burst: the points of the clean-up are armed by then, and the sweep that asks for it comes within seconds. */
const jump = ({ fromMs }: Burst, aheadMs: number): PlannedFault => ({
  what: 'clock.jump',
  target: 'all',
  atMs: fromMs + 2500,
  forMs: 0,
  aheadMs,
})

function decksOf({ seed, round, servers, seconds, points, manners, focus }: Round, chance: Chance) {
  const isWanted = wantedBy(focus)
  const first = Math.floor(round * seconds * POINTS_PER_SECOND)
  const pointsOf = (type: ProcessType, isNight: boolean) =>
    points
      .filter(({ name, process }) => process === type && isOfNight(name) === isNight)
      .flatMap(({ name }) =>
        focus === null ? [name] : focus.points.filter((one) => one.split(':')[0] === name),
      )
  const deckOfPoints = (type: ProcessType, isNight: boolean): Deck<string> | null =>
    dealt(chanceOf(seed, 'points', type), pointsOf(type, isNight), isNight ? round * POINTS_PER_NIGHT : first)
  const [web, worker, night] = [
    deckOfPoints('web', false),
    deckOfPoints('worker', false),
    deckOfPoints('worker', true),
  ]
  const kinds = (lasting: object) => (Object.keys(lasting) as Kind[]).filter(isWanted)
  return {
    day: (target: Parameters<typeof typeOf>[0]) => (typeOf(target) === 'web' ? web : worker),
    night: (target: Parameters<typeof typeOf>[0]) => (typeOf(target) === 'web' ? web : (night ?? worker)),
    redis: dealt(chance, kinds(redisFaults), 0),
    mongo: dealt(chance, kinds(faultsOfMongo(servers)), 0),
    receivers: isWanted('receiver.mood') ? dealt(chance, [...manners.keys()], 0) : null,
  }
}

const dealt = <Card>(chance: Chance, cards: readonly Card[], first: number): Deck<Card> | null =>
  cards.length === 0 ? null : deckOf(chance, cards, first)
