import type { Deps } from '../deps.ts'
import type { Deadline } from '../http/server/deadline.ts'
import type { Intent } from '../intents/intent.ts'
import type { PaymentResult } from '../intents/payments/pay.ts'
import { type Attempt, createLimitByNetwork } from '../security/failed-attempts/by-network.ts'
import { checkoutAttempts } from '../security/failed-attempts/collections.ts'

/**
 * Pays an intent within the limits on failed attempts. Each attempt is counted against its network before the wallet is
 * called, so concurrent attempts cannot exceed the limit. After the payment, the attempt still counts against the
 * network only if the wallet refused the PIN or, in the sandbox, declined the payment. `closed` means that the wallet
 * was not called.
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

export function createPinLimit(deps: Pick<Deps, 'mongo' | 'log' | 'now'>): PinLimit {
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
  const intents = createLimitByNetwork(deps, checkoutAttempts, ofIntent)
  return async (ip, intent, withinDeadline, pay) => {
    const ofPayment = await withinDeadline(() => intents(ip, intent._id))
    if (!ofPayment.isOpen) return { state: 'closed', closedMs: ofPayment.closedMs }
    const ofNetwork = await withinDeadline(() => (intent.sandbox ? tests(ip, intent.businessId) : live(ip)))
    if (!ofNetwork.isOpen) {
      await withinDeadline(() => ofPayment.leave())
      return { state: 'closed', closedMs: ofNetwork.closedMs }
    }
    let paid: PaymentResult | null = null
    try {
      paid = await pay()
      return paid
    } finally {
      // The customer does not wait for these writes. If a write fails, the attempt costs one point, as it did while it
      // was in progress. That point expires within an hour.
      void settle(ofPayment, isFailure(paid)).catch(() => undefined)
      void settle(ofNetwork, isRefusedPin(intent, paid)).catch(() => undefined)
    }
  }
}

const settle = (attempt: Attempt & { isOpen: true }, counts: boolean): Promise<void> =>
  counts ? attempt.fail() : attempt.leave()

/**
 * Returns whether an attempt failed or its outcome is not known yet. If the payment never started, there was no
 * attempt, so the function returns false.
 */
const isFailure = (paid: PaymentResult | null): boolean =>
  paid?.state === 'waiting' || (paid?.state === 'settled' && paid.outcome.outcome !== 'done')

/** Returns whether an attempt counts towards the limit on refused PINs. */
function isRefusedPin({ sandbox }: Intent, paid: PaymentResult | null): boolean {
  const outcome = paid?.state === 'settled' ? paid.outcome.outcome : null
  return outcome === 'refused' || (sandbox && outcome === 'declined')
}
