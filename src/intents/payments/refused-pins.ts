import type { Deps } from '../../deps.ts'
import { type Attempt, type AttemptEnd, createLimitByNetwork } from '../../security/failed-attempts/by-network.ts'
import { checkoutAttempts } from '../../security/failed-attempts/collections.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'

const seconds = 600
/**
 * How many refused PINs one network may have in ten minutes. The limit is this high because many customers of a carrier
 * often share a network. Larger prefixes have their own limits (network.ts).
 */
const perNetwork = 60
/**
 * How many points a refused PIN costs. A payment in progress costs only one point, so up to 180 customers (60 × 3) on
 * one network can be paying at the same time.
 */
const perRefusal = 3
/**
 * How many refused PINs one network may have in ten minutes in each business's sandbox. Test wallets hold no real
 * money. Declined payments count as well, because each declined payment causes an event, which is delivered to every
 * subscribed endpoint. The limit is high enough for a test suite, but it still bounds the cost of checking PINs.
 */
const perNetworkOfTests = 600

/** Limits the refused PINs of each network. A payment keeps its point until its outcome is known. */
export interface RefusedPins {
  count(ip: string, intent: Intent): Promise<Attempt>
  /** Counts the outcome that a worker has learnt for a payment that has kept its point. */
  settleLate(held: { startedAt: Date; clientIp?: string }, intent: Intent, outcome: KnownOutcome): void
}

export function createRefusedPins(deps: Pick<Deps, 'mongo' | 'log' | 'now'>): RefusedPins {
  const limitOf = (name: string, maxPoints: number) =>
    createLimitByNetwork(deps, checkoutAttempts, {
      name,
      perNetwork: maxPoints,
      seconds,
      perFailure: perRefusal,
      countsAhead: 'stored',
    })
  const live = limitOf('pin', perNetwork)
  const tests = limitOf('test-pin', perNetworkOfTests)
  return {
    count: (ip, { sandbox, businessId }) => (sandbox ? tests(ip, businessId) : live(ip)),
    settleLate({ startedAt, clientIp = '' }, intent, outcome) {
      const { sandbox, businessId } = intent
      const attempt = sandbox ? tests.resume(startedAt, clientIp, businessId) : live.resume(startedAt, clientIp)
      settlePin(attempt, intent, outcome)
    },
  }
}

/**
 * Does not wait for its writes. If one fails, the attempt costs one point, as it did while it was in progress. That
 * point expires within minutes.
 */
export function settlePin(attempt: AttemptEnd, { sandbox }: Intent, outcome: KnownOutcome | null): void {
  const counts = outcome?.outcome === 'refused' || (sandbox && outcome?.outcome === 'declined')
  void (counts ? attempt.fail() : attempt.leave()).catch(() => undefined)
}
