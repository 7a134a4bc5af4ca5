import type { Deps } from '../deps.ts'
import type { Deadline } from '../http/server/deadline.ts'
import type { Intent } from '../intents/intent.ts'
import type { PaymentResult } from '../intents/payments/pay.ts'
import { createRefusedPins, settlePin } from '../intents/payments/refused-pins.ts'
import { createLimitByNetwork } from '../security/failed-attempts/by-network.ts'
import { checkoutAttempts } from '../security/failed-attempts/collections.ts'

/**
 * Pays an intent within the limits on failed attempts. Each attempt is counted against its network before the wallet is
 * called, so concurrent attempts cannot exceed the limit. Once the outcome is known, the attempt still counts against
 * the network only if the wallet refused the PIN or, in the sandbox, declined the payment. `closed` means that the
 * wallet was not called.
 */
export type PinLimit = (
  ip: string,
  intent: Intent,
  withinDeadline: Deadline['run'],
  pay: () => Promise<PaymentResult>,
) => Promise<PaymentResult | { state: 'closed'; closedMs: number }>

/**
 * The limit on failed attempts to pay one intent from one network, whatever the reason for the failures. No genuine
 * customer fails this often, and 20 attempts are too few to try many phone numbers. Attempts are counted per network
 * because a payment's link is not secret. A stranger who uses up the attempts of their own network must not lock out
 * the customer.
 */
const ofIntent = {
  name: 'payment',
  perNetwork: 20,
  seconds: 3600,
  perFailure: 1,
  countsAhead: 'stored',
} as const

export function createPinLimit(deps: Pick<Deps, 'mongo' | 'log' | 'now'>): PinLimit {
  const refusedPins = createRefusedPins(deps)
  const intents = createLimitByNetwork(deps, checkoutAttempts, ofIntent)
  return async (ip, intent, withinDeadline, pay) => {
    const ofPayment = await withinDeadline(() => intents(ip, intent._id))
    if (!ofPayment.isOpen) return { state: 'closed', closedMs: ofPayment.closedMs }
    const ofNetwork = await withinDeadline(() => refusedPins.count(ip, intent))
    if (!ofNetwork.isOpen) {
      await withinDeadline(() => ofPayment.leave())
      return { state: 'closed', closedMs: ofNetwork.closedMs }
    }
    // If this throws, both points stay, because the wallet may have been called.
    const paid = await pay()
    if (paid.state === 'waiting') return paid
    const outcome = paid.state === 'settled' ? paid.outcome : null
    // The customer does not wait for these writes (refused-pins.ts).
    if (outcome === null || outcome.outcome === 'done') void ofPayment.leave().catch(() => undefined)
    settlePin(ofNetwork, intent, outcome)
    return paid
  }
}
