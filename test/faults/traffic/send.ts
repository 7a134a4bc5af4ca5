import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from '../../support/chance.ts'
import type { Call } from '../evidence/evidence.ts'
import type { MakeCall } from './client.ts'
import { isFinal, type RequestSpec } from './request-spec.ts'

/**
 * Sends a write until it gets its final response. Returns null if the traffic ends before that, or if the client gives
 * up.
 */
export type Send = (spec: RequestSpec, chance: Chance) => Promise<Call | null>

/**
 * How 100 writes are sent: some are never repeated, some are sent again after the response, some twice at once, some
 * later with another body.
 */
const ways = { once: 80, givenUp: 4, again: 8, twins: 5, changed: 3 }
/** The pause before a write is repeated. */
const pauseMs = [100, 2000] as const
/** Keys are not reused after this time, because they expire after 24 hours of the service's clock, which jumps. */
export const keyLifetimeMs = 23 * 3_600_000

/** `now` is the service's clock. After `endsAt` of the machine's clock, no write is repeated. */
export function createSend(makeCall: MakeCall, now: () => number, endsAt: () => number): Send {
  const isOld = (beganAt: number): boolean => now() - beganAt > keyLifetimeMs

  async function persist(spec: RequestSpec, first: number, way: string, chance: Chance): Promise<Call | null> {
    const beganAt = now()
    for (let attempt = first; ; attempt += 1) {
      const call = await makeCall(spec, attempt, chance)
      if (isFinal(call)) return call
      if (way === 'givenUp') return null
      await sleep(chance.whole(...pauseMs))
      if (Date.now() > endsAt() || isOld(beganAt)) return null
    }
  }
  return async (spec, chance) => {
    const way = chance.weighted(ways)
    const beganAt = now()
    // Each kind of repetition has its own range of numbers, so that records show what a call was.
    const twin = way === 'twins' ? persist(spec, 1001, way, chance) : null
    const call = await persist(spec, 1, way, chance)
    await twin
    if (call === null || isOld(beganAt)) return call
    if (way === 'again') await makeCall(spec, 2001, chance)
    if (way === 'changed' && spec.otherBody !== null)
      await makeCall({ ...spec, body: spec.otherBody, otherBody: null }, 3001, chance)
    return call
  }
}
