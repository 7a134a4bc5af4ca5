import type { Deps } from '../../platform/deps.ts'
import { createNetworkLimit, type NetworkBudget, type NetworkCheckEnd } from '../../security/network-limit.ts'
import type { KnownWalletOutcome } from '../../wallets/wallet.ts'
import type { Intent } from '../intent.ts'
import type { PaymentHold } from '../records.ts'

/** A payment costs one point at first, and three if its PIN is refused. */
const refused = { gets: 'the page asks to wait', seconds: 600, perFailure: 3, countsAhead: 'stored' } as const
export const refusedPinBudgets = {
  // Customers of a mobile carrier often share a network.
  live: { ...refused, name: 'pin', what: 'Refused PINs', perNetwork: 60 },
  // Declined payments count too, because each triggers an event.
  tests: {
    ...refused,
    name: 'test-pin',
    what: "Failed payments in a business's sandbox",
    perNetwork: 600,
  },
} satisfies Record<string, NetworkBudget>

type Owner = Pick<Intent, 'sandbox' | 'businessId'>

export function createRefusedPinLimit(deps: Pick<Deps, 'counters' | 'log'>) {
  const [live, tests] = [
    createNetworkLimit(deps, refusedPinBudgets.live),
    createNetworkLimit(deps, refusedPinBudgets.tests),
  ]
  const limitOf = ({ sandbox }: Owner) => (sandbox ? tests : live)
  const ownerOf = ({ sandbox, businessId }: Owner) => (sandbox ? businessId : undefined)
  return {
    count: (ip: string, intent: Owner) => limitOf(intent)(ip, ownerOf(intent)),
    settleLate({ startedAt, clientIp = '' }: PaymentHold, intent: Owner, outcome: KnownWalletOutcome) {
      settlePinCheck(limitOf(intent).resume(startedAt, clientIp, ownerOf(intent)), intent, outcome)
    },
  }
}

/** If a write fails, the payment costs a point for up to ten minutes. */
export function settlePinCheck(
  attempt: NetworkCheckEnd,
  { sandbox }: Owner,
  outcome: KnownWalletOutcome | null,
): void {
  const counts = outcome?.outcome === 'refused' || (sandbox && outcome?.outcome === 'declined')
  void (counts ? attempt.fail() : attempt.leave()).catch(() => undefined)
}
