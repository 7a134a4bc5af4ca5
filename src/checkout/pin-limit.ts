import type { Deps } from '../deps.ts'
import type { Deadline } from '../http/server/deadline.ts'
import type { Intent } from '../intents/intent.ts'
import type { PaymentResult } from '../intents/payments/pay.ts'
import { type Attempt, createLimitByNetwork } from '../security/failed-attempts/by-network.ts'
import { checkoutAttempts } from '../security/failed-attempts/collections.ts'

/**
 * Pays an intent within the limits on failed attempts. Each attempt is counted against its network before the wallet is
 * called, so concurrent attempts cannot exceed the limit. The attempt remains counted only if the wallet refused the
 * PIN or, in the sandbox, declined the payment. `closed` means that the wallet was not called.
 */
export type PinLimit = (
  ip: string,
  intent: Intent,
  withinDeadline: Deadline['run'],
  pay: () => Promise<PaymentResult>,
) => Promise<PaymentResult | { state: 'closed'; closedMs: number }>

/**
 * The limit on failed attempts, for any reason, to pay one intent from one network. No genuine customer fails this
 * often, and 20 attempts are too few to try many phone numbers. Attempts are counted per network because a payment's
 * link is not secret. A stranger who uses up these attempts must not lock out the customer.
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
 * The points that one network may use. Many customers of a carrier often share a network. Larger prefixes have their
 * own limits (network.ts).
 */
const perNetwork = 60
/**
 * The points that a refused PIN costs. A payment in progress costs one point, so 180 customers on one network can be
 * paying at the same time.
 */
const perRefusal = 3
/**
 * The limit for test wallets, which hold no real money. It applies per business. Declined payments count as well,
 * because each one causes an event with a delivery per endpoint. The limit is high enough for a test suite, but it
 * still bounds the cost of checking PINs.
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
      // The customer does not wait for these writes. If one fails, its point expires within an hour.
      void settle(ofPayment, isFailure(paid)).catch(() => undefined)
      void settle(ofNetwork, isRefusedPin(intent, paid)).catch(() => undefined)
    }
  }
}

const settle = (attempt: Attempt & { isOpen: true }, counts: boolean): Promise<void> =>
  counts ? attempt.fail() : attempt.leave()

/**
 * Returns whether an attempt failed or has no known outcome yet. A payment that never started does not count as an
 * attempt.
 */
const isFailure = (paid: PaymentResult | null): boolean =>
  paid?.state === 'waiting' || (paid?.state === 'settled' && paid.outcome.outcome !== 'done')

/** Returns whether an attempt counts towards the limit on refused PINs. */
function isRefusedPin({ sandbox }: Intent, paid: PaymentResult | null): boolean {
  const outcome = paid?.state === 'settled' ? paid.outcome.outcome : null
  return outcome === 'refused' || (sandbox && outcome === 'declined')
}
