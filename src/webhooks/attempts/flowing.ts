import type { DeliveryLane } from '../../jobs.ts'
import type { EndpointHealth } from '../endpoints/endpoint.ts'
import type { Attempt } from '../sender/send.ts'

/** Who asks for a place at a receiver. `hasWaited`: it was put off before, and goes before who comes anew. */
export interface Asker {
  lane: DeliveryLane
  hasWaited: boolean
}

/** What is under way to one receiver, and what its attempts have told. Instants are on the flow's own clock. */
export interface Flowing {
  /** Taken, from before the claim until the receiver has answered. */
  places: number
  /** How many places there are, as long as it is not held back. */
  window: number
  /** Attempts whose answer is awaited, the oldest first. */
  open: Set<{ startedAt: number }>
  /** How many quick attempts it still owes before it is quick again. */
  quickOwed: number
  failuresInRow: number
  /** How long a place was taken lately. */
  turnMs: number
  /** Up to here every turn is given to somebody who was put off. */
  turnsUntil: number
}

/** Longer than this is slow. */
export const slowMs = 1000
/** So many quick ones in a row make it quick again. */
const quickAgainAfter = 5
/** Eight failed attempts each of a dozen deliveries: it is not coming back soon. */
const failingFrom = 100

/** Half of a process (src/jobs.ts): no receiver may keep all others out. */
export const mostFlowing = 100
/** What a receiver gets that is slow, or of which there is no good news yet: 40 of them fill the lane of the slow. */
const fewestFlowing = 5
/** Of these, who comes anew gets so many while others were put off. */
const placesForNew = 2
/** What one gets that did well the last time. Every success adds one: from 5 it is at 100 in five rounds. */
const trusted = 50

/** Who is put off is not asked again at once: each time costs two look-ups. */
const shortestPutOffMs = 1000
/** So far ahead turns are given at the pace of now. Further on that would only be a guess, and an unkind one to who recovers. */
const paceAheadMs = 15_000
/** Beyond it 100 come in a second, to look whether the receiver is back: 1 000 within 25 s, 80 000 within the longest put-off. */
const lookEveryMs = 10
const longestPutOffMs = 15 * 60_000

/** `health` is what MongoDB knows of it from before. */
export const newFlowing = (health: EndpointHealth): Flowing => ({
  places: 0,
  window: firstWindow(health),
  open: new Set(),
  quickOwed: health.slow ? quickAgainAfter : 0,
  failuresInRow: health.failuresInRow,
  turnMs: 0,
  turnsUntil: 0,
})

function firstWindow({ slow, failuresInRow, lastSuccessAt }: EndpointHealth): number {
  return slow || failuresInRow > 0 || lastSuccessAt === null ? fewestFlowing : trusted
}

/** When the attempt that is open the longest began. */
export function oldestStart({ open }: Flowing): number | null {
  const [oldest] = open
  return oldest?.startedAt ?? null
}

const oldestAgeMs = (flowing: Flowing, now: number): number => now - (oldestStart(flowing) ?? now)

export const isSlow = (flowing: Flowing, now: number): boolean =>
  flowing.quickOwed > 0 || oldestAgeMs(flowing, now) > slowMs

/** Whether a receiver that is known to fail has been doing so without an end. */
export const isFailing = ({ failuresInRow }: Pick<EndpointHealth, 'failuresInRow'>): boolean =>
  failuresInRow >= failingFrom

const isHeldBack = (flowing: Flowing, now: number): boolean => isFailing(flowing) || isSlow(flowing, now)

/** `wait`: the places are taken, by quick attempts. `later`: so they are at one that is held back. `slow`: not in this lane. */
export function mayGo(flowing: Flowing, asker: Asker, now: number): 'go' | 'wait' | 'later' | 'slow' {
  if (!isHeldBack(flowing, now)) return flowing.places < flowing.window ? 'go' : 'wait'
  if (asker.lane !== 'webhook-delivery-slow') return 'slow'
  // Who comes anew stands behind all that were put off, but leaves no receiver idle: how long those wait is a guess.
  const most = asker.hasWaited || flowing.turnsUntil <= now ? fewestFlowing : placesForNew
  return flowing.places < most ? 'go' : 'later'
}

/** Learns from an attempt that ended; `turnMs` is how long its place was taken. */
export function note(flowing: Flowing, { durationMs, outcome }: Attempt, turnMs: number): void {
  const wasHeldBack = isFailing(flowing) || flowing.quickOwed > 0
  const delivered = outcome === 'delivered'
  flowing.turnMs = flowing.turnMs === 0 ? turnMs : 0.8 * flowing.turnMs + 0.2 * turnMs
  flowing.failuresInRow = delivered ? 0 : flowing.failuresInRow + 1
  flowing.quickOwed = durationMs > slowMs ? quickAgainAfter : Math.max(0, flowing.quickOwed - 1)
  flowing.window = nextWindow(flowing.window, durationMs, delivered)
  // Those who still wait come when they were told; who comes anew need not stand behind them.
  if (wasHeldBack && !isFailing(flowing) && flowing.quickOwed === 0) flowing.turnsUntil = 0
}

/** A quiet moment changes nothing: what a receiver could take it still can. */
function nextWindow(window: number, durationMs: number, delivered: boolean): number {
  if (durationMs > slowMs) return fewestFlowing
  return delivered ? Math.min(mostFlowing, window + 1) : Math.max(fewestFlowing, window - 1)
}

/** Gives the next turn at a receiver that is held back away. Answers in how many milliseconds it is. */
export function reserve(flowing: Flowing, now: number): number {
  const isFar = flowing.turnsUntil - now > paceAheadMs
  const paceMs = Math.max(flowing.turnMs, oldestAgeMs(flowing, now)) / fewestFlowing
  const turn = Math.max(flowing.turnsUntil + (isFar ? lookEveryMs : paceMs), now + shortestPutOffMs)
  if (turn - now > longestPutOffMs) return longestPutOffMs * (0.5 + Math.random() / 2)
  flowing.turnsUntil = turn
  return turn - now
}
