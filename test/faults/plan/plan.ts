import { type Chance, chanceOf } from '../../support/chance.ts'
import { points } from '../build/edits.ts'
import { type FaultName, faultKinds, type PlannedFault } from '../nemesis/faults.ts'
import { type ProcessName, processNames, typeOf } from '../round/process.ts'
import type { Servers } from '../round/stage.ts'
import { behavioursByTarget } from '../traffic/endpoint-servers.ts'

export type NumberedRound = { seed: number; round: number; servers: Servers; seconds: number }
type Burst = { fromMs: number; toMs: number }
type Deck<Card> = () => Card
const hourMs = 3_600_000
const monthMs = 31 * 24 * hourMs
/** After 25 hours, idempotency keys have expired and a night has passed. After a month, the sandbox's data is old. */
const jumps = [0, 25 * hourMs, 0, monthMs]

export function planOf(round: NumberedRound): PlannedFault[] {
  const chance = chanceOf(round.seed, 'plan', round.round)
  const bursts = burstsOf(chance, round.seconds * 1000)
  const aheadMs = deckOf(chanceOf(round.seed, 'jumps'), jumps, round.round)()
  const night = aheadMs === 0 ? undefined : nightOf(bursts)
  const decks = decksOf(round, chance, aheadMs)
  const faults = bursts.flatMap((burst) => [
    ...processFaults(chance, burst, burst === night, burst === night ? decks.night : decks.day),
    ...serverFault(chance, burst, decks.redis),
    ...serverFault(chance, burst, decks.mongo),
    ...endpointFaults(chance, burst, decks.endpoints),
    ...(burst === night ? [jump(burst, aheadMs)] : []),
  ])
  return faults.toSorted((one, other) => one.atMs - other.atMs)
}

const firstAtMs = 2500
const burstMs = { min: 10_000, max: 22_000 }
const shortQuietMs = { min: 8000, max: 11_000 }
const longQuietMs = { min: 22_000, max: 26_000 }
/** Long enough to check every promise about time: 10 s to recover, 15 s and two delays for an attempt. */
const lastQuietMs = 38_000
const checkedFromMs = 60_000

function burstsOf(chance: Chance, lengthMs: number): Burst[] {
  const endMs = lengthMs < checkedFromMs ? lengthMs : lengthMs - lastQuietMs
  const bursts: Burst[] = []
  let fromMs = firstAtMs
  while (fromMs + burstMs.min <= endMs) {
    const toMs = Math.min(fromMs + chance.whole(burstMs.min, burstMs.max), endMs)
    bursts.push({ fromMs, toMs })
    const { min, max } = bursts.length % 2 === 0 ? longQuietMs : shortQuietMs
    fromMs = toMs + chance.whole(min, max)
  }
  return bursts
}

function nightOf(bursts: readonly Burst[]): Burst | undefined {
  const from = Math.floor(bursts.length / 3)
  const middle = bursts.slice(from, Math.max(from + 1, Math.ceil((2 * bursts.length) / 3)))
  return middle.toSorted((one, other) => other.toMs - other.fromMs - (one.toMs - one.fromMs))[0]
}

const jumpFromMs = 10_000
const jump = ({ fromMs }: Burst, aheadMs: number): PlannedFault => {
  return { what: 'clock.jump', target: 'all', atMs: Math.max(jumpFromMs, fromMs + 2500), forMs: 0, aheadMs }
}
const pointsPerSecond = 1 / 14
const pointsPerNight = 2
/** The clean-up passes its points only in the night after a jump, and only some of them without old data. */
const isOfNight = (point: string): boolean => point.startsWith('clean-up.')
const withoutOldData = ['clean-up.taken', 'clean-up.before-end']
const isPassedAfter = (aheadMs: number, point: string): boolean =>
  aheadMs === monthMs ? point !== 'clean-up.before-end' : withoutOldData.includes(point)

function decksOf({ seed, round, servers, seconds }: NumberedRound, chance: Chance, aheadMs: number) {
  const pointDeck = (type: 'web' | 'worker', from: number, isWanted: (point: string) => boolean) => {
    const own = points.filter(({ process }) => process === type).map(({ name }) => name)
    return deckOf(chanceOf(seed, 'points', type), own.filter(isWanted), from)
  }
  const kinds = (prefix: string): FaultName[] =>
    (Object.keys(faultKinds) as FaultName[]).filter((name) => name.startsWith(prefix))
  const first = Math.floor(round * seconds * pointsPerSecond)
  const firstOfNight = Math.floor((round - 1) / jumps.length) * pointsPerNight
  const web = pointDeck('web', first, () => true)
  const worker = pointDeck('worker', first, (point) => !isOfNight(point))
  const isPassed = (point: string): boolean => isOfNight(point) && isPassedAfter(aheadMs, point)
  const night = pointDeck('worker', firstOfNight, isPassed)
  return {
    day: (target: ProcessName) => (typeOf(target) === 'web' ? web : worker),
    night: (target: ProcessName) => (typeOf(target) === 'web' ? web : night),
    redis: deckOf(chance, kinds('redis.'), 0),
    mongo: deckOf(chance, kinds(servers === 'one-member' ? 'mongo.' : 'primary.'), 0),
    endpoints: deckOf(chance, [...behavioursByTarget.keys()], 0),
  }
}

function deckOf<Card>(chance: Chance, cards: readonly Card[], first: number): Deck<Card> {
  if (cards.length === 0) throw new Error('a deck without a card')
  const ranked = cards.map((card) => ({ card, rank: chance.next() }))
  const order = ranked.toSorted((one, other) => one.rank - other.rank)
  let next = first
  return () => (order[next++ % order.length] as { card: Card }).card
}

const startMs = 2000
const maxDownMs = 2000
const armedMs = 4000
const shortStopMs = { min: 1000, max: 4500 }
const longStopMs = { min: 11_000, max: 18_000 }
const skewsMs = [111_000, 111_000, 25 * hourMs]
const minMs = maxDownMs + startMs + 1000
const weights = { 'process.point': 8, 'process.kill': 2, 'process.stop': 2, 'process.skew': 1 } as const

/** Only one process per type is frozen for long, so that the other serves. */
function processFaults(
  chance: Chance,
  burst: Burst,
  isNight: boolean,
  pointsOf: (target: ProcessName) => Deck<string>,
): PlannedFault[] {
  const frozenForLong = [chance.pick(['web-1', 'web-2']), chance.pick(['worker-1', 'worker-2'])]
  return processNames.flatMap((target) => {
    const point = pointsOf(target)
    const faults: PlannedFault[] = []
    let atMs = burst.fromMs + chance.whole(0, 2500)
    for (let leftMs = burst.toMs - atMs; leftMs >= minMs; leftMs = burst.toMs - atMs) {
      const stopMs = (): number => {
        const isLong = frozenForLong.includes(target) && chance.is(0.5) && leftMs > longStopMs.min
        if (!isLong) return chance.whole(shortStopMs.min, shortStopMs.max)
        return chance.whole(longStopMs.min, Math.min(longStopMs.max, leftMs))
      }
      const what = isNight && faults.length === 0 ? 'process.point' : chance.weighted(weights)
      const fault: PlannedFault = { what, target, atMs, forMs: 0 }
      if (what === 'process.kill') fault.forMs = chance.whole(0, maxDownMs)
      else if (what === 'process.stop') fault.forMs = stopMs()
      else if (what === 'process.skew') {
        fault.aheadMs = chance.pick(skewsMs) * chance.pick([1, -1])
        fault.forMs = chance.whole(2000, Math.min(8000, leftMs))
      } else {
        const deed = chance.pick(['kill', 'kill', 'stop'] as const)
        const awayMs = deed === 'kill' ? chance.whole(0, maxDownMs) : stopMs()
        const time = chance.pick([1, 1, 1, 2, 4])
        // At night, a worker stays armed for long, because the clean-up passes each point once.
        fault.forMs = isNight && typeOf(target) === 'worker' ? Math.max(armedMs, leftMs - minMs) : armedMs
        fault.order = { point: point(), time: isNight ? 1 : time, deed, awayMs }
      }
      faults.push(fault)
      atMs += busyMs(fault) + chance.whole(300, 1500)
    }
    return faults
  })
}

function busyMs({ what, forMs, order }: PlannedFault): number {
  if (order !== undefined) return armedMs / 4 + order.awayMs + (order.deed === 'kill' ? startMs : 0)
  return what === 'process.kill' ? forMs + startMs : forMs
}

const recoveryMs = 3000

function serverFault(chance: Chance, burst: Burst, deck: Deck<FaultName>): PlannedFault[] {
  if (chance.is(0.2)) return []
  const what = deck()
  const [from, to] = faultKinds[what].lastsMs ?? [0, 0]
  const availableMs = burst.toMs - burst.fromMs - recoveryMs
  const forMs = chance.whole(from, Math.min(to, availableMs))
  const atMs = burst.fromMs + chance.whole(0, availableMs - forMs)
  return [{ what, target: what.slice(0, what.indexOf('.')), atMs, forMs }]
}

const endpointFaults = (chance: Chance, burst: Burst, names: Deck<string>): PlannedFault[] =>
  [...new Set([names(), names(), names()])].map((target) => {
    const atMs = chance.whole(burst.fromMs, burst.toMs - 3000)
    const forMs = chance.whole(2000, Math.min(10_000, burst.toMs - atMs))
    const behaviour = chance.pick(behavioursByTarget.get(target) ?? [])
    return { what: 'endpoint.behaviour', target, behaviour, atMs, forMs }
  })
