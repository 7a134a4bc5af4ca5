import type { Deps } from '../../deps.ts'
import { type AttemptEnd, createNetworkLimit } from '../../security/network-limit.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'
import type { PaymentHold } from './payment.ts'

const seconds = 600
/**
 * How many refused PINs one network may have in ten minutes. The limit is this high because many customers of a carrier
 * often share a network. Larger prefixes have their own limits (network.ts).
 */
const ofLive = 60
/**
 * How many points a refused PIN costs. A payment in progress costs only one point, so up to 180 customers (60 × 3) on
 * one network can be paying at the same time.
 */
const perFailure = 3
/**
 * How many refused PINs one network may have in ten minutes in each business's sandbox. Test wallets hold no real
 * money. Declined payments count as well, because each declined payment causes an event, which is delivered to every
 * subscribed endpoint. The limit is high enough for a test suite, but it still bounds the cost of checking PINs.
 */
const ofTests = 600

/**
 * Limits the refused PINs of each network. A payment keeps its point until a worker has learnt its outcome and calls
 * `settleLate`.
 */
export function createRefusedPins(deps: Pick<Deps, 'counters' | 'log'>) {
  const create = (name: string, perNetwork: number) =>
    createNetworkLimit(deps, { name, perNetwork, seconds, perFailure, countsAhead: 'stored' })
  const [live, tests] = [create('pin', ofLive), create('test-pin', ofTests)]
  const limitOf = ({ sandbox }: Intent) => (sandbox ? tests : live)
  const ownerOf = ({ sandbox, businessId }: Intent) => (sandbox ? businessId : undefined)
  return {
    count: (ip: string, intent: Intent) => limitOf(intent)(ip, ownerOf(intent)),
    settleLate({ startedAt, clientIp = '' }: PaymentHold, intent: Intent, outcome: KnownOutcome) {
      settlePin(limitOf(intent).resume(startedAt, clientIp, ownerOf(intent)), intent, outcome)
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
