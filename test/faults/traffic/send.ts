import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../../support/chance.ts'
import type { Call } from '../evidence/evidence.ts'
import type { Ask } from './client.ts'
import { isAnswered, type Wish } from './wish.ts'

/** Sends a write until it is answered for good; null where that did not come before the traffic's end. */
export type Send = (wish: Wish, chance: Chance) => Promise<Call | null>

/** How writes are sent, of 100: some a second time after the answer, some twice at once, some then with another body. */
const ways = { once: 84, again: 8, twins: 5, changed: 3 }
/** Between two tries of a write. */
const pauseMs = [100, 2000] as const
/** A key means the same request for 24 hours of the service's clock, which a run moves: nobody sends it again much later. */
export const longestMs = 23 * 3_600_000

/** By `now` of the service, and `endsAt` on the machine's clock, when nobody tries any more. */
export function createSend(ask: Ask, now: () => number, endsAt: () => number): Send {
  const isOld = (beganAt: number): boolean => now() - beganAt > longestMs

  async function persist(wish: Wish, first: number, chance: Chance): Promise<Call | null> {
    const beganAt = now()
    for (let attempt = first; ; attempt += 1) {
      const call = await ask(wish, attempt, chance)
      if (isAnswered(call)) return call
      await sleep(chance.whole(...pauseMs))
      if (Date.now() > endsAt() || isOld(beganAt)) return null
    }
  }
  return async (wish, chance) => {
    const way = chance.weighted(ways)
    const beganAt = now()
    // Of the attempts' numbers each kind of try has its own, so that a record tells what a call was.
    const twin = way === 'twins' ? persist(wish, 1001, chance) : null
    const call = await persist(wish, 1, chance)
    await twin
    if (call === null || isOld(beganAt)) return call
    if (way === 'again') await ask(wish, 2001, chance)
    if (way === 'changed' && wish.otherBody !== null)
      await ask({ ...wish, body: wish.otherBody, otherBody: null }, 3001, chance)
    return call
  }
}
