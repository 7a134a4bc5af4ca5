import type { Chance } from '../traffic/chance.ts'
import type { Burst } from './bursts.ts'
import type { Deck } from './deck.ts'
import type { PlannedFault } from './fault.ts'

/** Receivers that take to another manner in a burst: three, one after the other or at once. */
const MOOD_COUNT = 3

/** Who receives, and the manners that each can take to. */
export type Manners = ReadonlyMap<string, readonly string[]>

export function receiverFaults(
  chance: Chance,
  burst: Burst,
  manners: Manners,
  names: Deck<string>,
): PlannedFault[] {
  // Each once: one whose manner is changed twice would be healed by the first.
  const some = [...new Set(Array.from({ length: MOOD_COUNT }, names))]
  return some.map((target) => {
    const atMs = chance.whole(burst.fromMs, burst.toMs - 3000)
    const forMs = chance.whole(2000, Math.min(10_000, burst.toMs - atMs))
    return { what: 'receiver.mood', target, manner: chance.pick(manners.get(target) ?? []), atMs, forMs }
  })
}
