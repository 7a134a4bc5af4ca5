import type { Chance } from '../traffic/chance.ts'

/** Deals the cards of a list for ever, each as often as every other. */
export type Deck<Card> = () => Card

/** A deck that is dealt from its `first` card on. @throws {Error} where there is no card */
export function deckOf<Card>(chance: Chance, cards: readonly Card[], first: number): Deck<Card> {
  if (cards.length === 0) throw new Error('a deck without a card')
  const order = shuffled(chance, cards)
  let next = first
  return () => order[next++ % order.length] as Card
}

function shuffled<Card>(chance: Chance, cards: readonly Card[]): Card[] {
  return cards
    .map((card) => ({ card, rank: chance.next() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ card }) => card)
}
