import type { Chance } from '../../support/chance.ts'

/** A period with faults. All of them begin and end within it. */
export type Burst = { fromMs: number; toMs: number }

const firstAtMs = 2500
/** A long burst has time for a process that is frozen for longer than a lease. */
const burstMs = { min: 10_000, max: 22_000 }
/** Long enough for the consequences of a fault to end. */
const shortQuietMs = { min: 8000, max: 11_000 }
/** Every second quiet period is also long enough to check the time of some requests. */
const longQuietMs = { min: 22_000, max: 26_000 }
/** Long enough to check every promise about time: 10 s to recover, 15 s and two delays for an attempt. */
const lastQuietMs = 38_000
/** A shorter round has no time for that. */
const checkedFromMs = 60_000

export function burstsOf(chance: Chance, lengthMs: number): Burst[] {
  const endMs = lengthMs < checkedFromMs ? lengthMs : lengthMs - lastQuietMs
  const bursts: Burst[] = []
  let fromMs = firstAtMs
  while (fromMs + burstMs.min <= endMs) {
    const toMs = Math.min(fromMs + chance.whole(burstMs.min, burstMs.max), endMs)
    bursts.push({ fromMs, toMs })
    const quiet = bursts.length % 2 === 0 ? longQuietMs : shortQuietMs
    fromMs = toMs + chance.whole(quiet.min, quiet.max)
  }
  return bursts
}

/** Deals the shuffled cards of a list in a cycle, beginning at index `first`. */
export type Deck<Card> = () => Card

export function deckOf<Card>(chance: Chance, cards: readonly Card[], first: number): Deck<Card> {
  if (cards.length === 0) throw new Error('a deck without a card')
  const order = cards.map((card) => ({ card, rank: chance.next() })).toSorted((one, other) => one.rank - other.rank)
  let next = first
  return () => (order[next++ % order.length] as { card: Card }).card
}
