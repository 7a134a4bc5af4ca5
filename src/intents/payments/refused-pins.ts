import type { Deps } from '../../platform/deps.ts'
import { type CheckEnd, createNetworkLimit, type NetworkBudget } from '../../security/network-limit.ts'
import type { KnownOutcome } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'
import type { PaymentHold } from '../records.ts'

/**
 * A payment in progress costs one point and a refused PIN three, so up to 180 customers (60 × 3) on one network can be
 * paying at the same time.
 */
const refused = { gets: 'the page asks to wait', seconds: 600, perFailure: 3, countsAhead: 'stored' } as const
export const pinBudgets = {
  // Many customers of a carrier often share a network. Larger prefixes have their own limits (network.ts).
  live: { ...refused, name: 'pin', what: 'Refused PINs', perNetwork: 60 },
  // Test wallets hold no real money. Declined payments count as well, because each causes an event for every endpoint.
  // This is enough for a test suite, but still bounds the cost of checking PINs.
  tests: { ...refused, name: 'test-pin', what: 'Failed payments in the sandbox of a business', perNetwork: 600 },
} satisfies Record<string, NetworkBudget>

/**
 * Limits the refused PINs of each network. A payment keeps its point until a worker has learnt its outcome and calls
 * `settleLate`.
 */
export function createRefusedPins(deps: Pick<Deps, 'counters' | 'log'>) {
  const [live, tests] = [createNetworkLimit(deps, pinBudgets.live), createNetworkLimit(deps, pinBudgets.tests)]
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
export function settlePin(attempt: CheckEnd, { sandbox }: Intent, outcome: KnownOutcome | null): void {
  const counts = outcome?.outcome === 'refused' || (sandbox && outcome?.outcome === 'declined')
  void (counts ? attempt.fail() : attempt.leave()).catch(() => undefined)
}
