import type { DeliveryLane } from '../jobs.ts'
import type { EndpointHealth } from './endpoint.ts'

/** A place in flight, to be given back. */
export interface Place {
  leave(): void
}

/** Why there is no place. `slow`: not in this lane. `later`: too many are in flight, and there is no room to wait in. */
export type NoPlace = 'slow' | 'later'

/** What is under way to one receiver, and what its attempts have told. Instants are on the flow's own clock. */
export interface Flowing {
  /** Taken, by attempts and by what leads to one. */
  places: number
  /** How many places there are now. */
  window: number
  /** Attempts whose answer is awaited, the oldest first. */
  open: Set<{ startedAt: number }>
  waiting: { lane: DeliveryLane; hasWaited: boolean; resolve: (answer: Place | NoPlace) => void }[]
  timer: NodeJS.Timeout | null
  /** How many quick attempts it still owes before it is quick again. */
  quickOwed: number
  failuresInRow: number
  /** How long a place is taken, with all that an attempt needs besides its receiver. */
  turnMs: number
  /** Up to here every turn is given to somebody who was put off. */
  turnsUntil: number
  seenAt: number
}

/** Longer than this is slow. */
const slowMs = 1000
/** So many quick ones in a row make it quick again. */
const quickAgainAfter = 5
/** What a receiver may have in flight before it has shown that it is quick, and when it is not. */
const fewestFlowing = 5
const placesForNew = 2
/** Half of a process (src/jobs.ts): no receiver may keep all others out. */
export const mostFlowing = 100
/** Eight failed attempts each of a dozen deliveries: it is not coming back soon. */
const failingFrom = 100
/** Nobody is put off for longer than this, so that a receiver which is back gets all it is owed within it. */
const longestPutOffMs = 15 * 60_000
/** Who is put off is not asked again at once: each time costs two look-ups. */
const shortestPutOffMs = 1000

/** `health` is what MongoDB knows of it from before. */
export const newFlowing = ({ slow, failuresInRow }: EndpointHealth): Flowing => ({
  places: 0,
  window: fewestFlowing,
  open: new Set(),
  waiting: [],
  timer: null,
  quickOwed: slow ? quickAgainAfter : 0,
  failuresInRow,
  turnMs: 0,
  turnsUntil: 0,
  seenAt: 0,
})

export function oldestAgeMs({ open }: Flowing, now: number): number {
  const [oldest] = open
  return oldest === undefined ? 0 : now - oldest.startedAt
}

export const isSlow = (flowing: Flowing, now: number): boolean =>
  flowing.quickOwed > 0 || oldestAgeMs(flowing, now) > slowMs

export const isHeldBack = (flowing: Flowing, now: number): boolean =>
  isFailing(flowing) || isSlow(flowing, now)

/** Whether a receiver that is known to fail has been doing so without an end. */
export const isFailing = ({ failuresInRow }: Pick<EndpointHealth, 'failuresInRow'>): boolean =>
  failuresInRow >= failingFrom

/**
 * Whether there is a place at a receiver that is held back. Who comes anew stands behind all that were put off, but leaves no receiver
 * idle: how long those wait is a guess.
 */
export function hasTurn({ places, turnsUntil }: Flowing, hasWaited: boolean, now: number): boolean {
  const most = hasWaited || turnsUntil <= now ? fewestFlowing : placesForNew
  return places < most
}

export function noteTurn(flowing: Flowing, tookMs: number): void {
  flowing.turnMs = flowing.turnMs === 0 ? tookMs : 0.8 * flowing.turnMs + 0.2 * tookMs
}

/** Learns from an attempt that ended. */
export function note(flowing: Flowing, tookMs: number, delivered: boolean): void {
  const wasHeldBack = isFailing(flowing) || flowing.quickOwed > 0
  const isUsedUp = flowing.places >= flowing.window
  flowing.failuresInRow = delivered ? 0 : flowing.failuresInRow + 1
  flowing.quickOwed = tookMs > slowMs ? quickAgainAfter : Math.max(0, flowing.quickOwed - 1)
  flowing.window = nextWindow(flowing, isUsedUp, tookMs, delivered)
  // Those who still wait come back within longestPutOffMs; who comes anew need not stand behind them.
  if (wasHeldBack && !isFailing(flowing) && flowing.quickOwed === 0) flowing.turnsUntil = 0
}

function nextWindow({ window, places }: Flowing, isUsedUp: boolean, tookMs: number, delivered: boolean) {
  if (tookMs > slowMs) return fewestFlowing
  if (delivered && isUsedUp) return Math.min(mostFlowing, window + 1)
  return delivered && places > window / 2 ? window : Math.max(fewestFlowing, window - 1)
}

/** Gives the next turn away: as many in a while as the receiver takes in it. Beyond the longest wait, somewhere in its second half. */
export function reserve(flowing: Flowing, now: number): number {
  const eachMs = Math.max(flowing.turnMs, oldestAgeMs(flowing, now)) / flowing.window
  const turn = Math.max(flowing.turnsUntil + eachMs, now + shortestPutOffMs)
  if (turn - now > longestPutOffMs) return longestPutOffMs * (0.5 + Math.random() / 2)
  flowing.turnsUntil = turn
  return turn - now
}
