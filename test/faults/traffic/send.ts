import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../../support/chance.ts'
import type { Call } from '../evidence/evidence.ts'
import type { MakeCall } from './client.ts'
import { isFinal, type RequestSpec } from './request-spec.ts'

/** Sends a write until it is answered for good; null where that did not come before the traffic's end. */
export type Send = (spec: RequestSpec, chance: Chance) => Promise<Call | null>

/** How writes are sent, of 100: some a second time after the answer, some twice at once, some then with another body. */
const ways = { once: 84, again: 8, twins: 5, changed: 3 }
/** Between two tries of a write. */
const pauseMs = [100, 2000] as const
/** A key means the same request for 24 hours of the service's clock, which a run moves: nobody sends it again much later. */
export const keyLifetimeMs = 23 * 3_600_000

/** By `now` of the service, and `endsAt` on the machine's clock, when nobody tries any more. */
export function createSend(makeCall: MakeCall, now: () => number, endsAt: () => number): Send {
  const isOld = (beganAt: number): boolean => now() - beganAt > keyLifetimeMs

  async function persist(spec: RequestSpec, first: number, chance: Chance): Promise<Call | null> {
    const beganAt = now()
    for (let attempt = first; ; attempt += 1) {
      const call = await makeCall(spec, attempt, chance)
      if (isFinal(call)) return call
      await sleep(chance.whole(...pauseMs))
      if (Date.now() > endsAt() || isOld(beganAt)) return null
    }
  }
  return async (spec, chance) => {
    const way = chance.weighted(ways)
    const beganAt = now()
    // Of the attempts' numbers each kind of try has its own, so that a record tells what a call was.
    const twin = way === 'twins' ? persist(spec, 1001, chance) : null
    const call = await persist(spec, 1, chance)
    await twin
    if (call === null || isOld(beganAt)) return call
    if (way === 'again') await makeCall(spec, 2001, chance)
    if (way === 'changed' && spec.otherBody !== null)
      await makeCall({ ...spec, body: spec.otherBody, otherBody: null }, 3001, chance)
    return call
  }
}
