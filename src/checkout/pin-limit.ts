import type { Deps } from '../deps.ts'
import type { Deadline } from '../http/server/deadline.ts'
import type { Intent } from '../intents/intent.ts'
import type { PaymentResult } from '../intents/payments/pay.ts'
import { type Attempt, createLimitByNetwork } from '../security/failed-attempts/by-network.ts'
import { checkoutAttempts } from '../security/failed-attempts/collections.ts'

/**
 * Pays within the limits on failed attempts. An attempt counts for its network before the wallet is called, so
 * concurrent attempts cannot exceed the limit. It stays counted only if its PIN was refused or, in the sandbox, if it
 * was declined. `closed`: the wallet was not called.
 */
export type PinLimit = (
  ip: string,
  intent: Intent,
  withinDeadline: Deadline['run'],
  pay: () => Promise<PaymentResult>,
) => Promise<PaymentResult | { state: 'closed'; closedMs: number }>

/**
 * Failed attempts at one intent from one network, for any reason. No customer makes this many, and they are too few to
 * try many phone numbers. They are counted by network, because the link of a payment is no secret: a stranger who uses
 * up these attempts must not close the payment to its customer.
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
 * Points of one network, which is often shared by many customers of a carrier. Larger prefixes have their own limits
 * (network.ts).
 */
const perNetwork = 60
/**
 * Points of a refused PIN. A payment in progress counts one point, so 180 customers of one network may be paying at
 * once.
 */
const perRefusal = 3
/**
 * The limit for test wallets, which hold no money. It is counted per business, and declined payments count too, because
 * each causes an event with a delivery per endpoint. It is enough for a test suite and bounds the work of checking
 * PINs.
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
      // The customer does not wait for these writes. If one fails, its point expires within the hour.
      void settle(ofPayment, isFailure(paid)).catch(() => undefined)
      void settle(ofNetwork, isRefusedPin(intent, paid)).catch(() => undefined)
    }
  }
}

const settle = (attempt: Attempt & { isOpen: true }, counts: boolean): Promise<void> =>
  counts ? attempt.fail() : attempt.leave()

/** Returns whether an attempt failed or has no known outcome yet. A payment that could not begin is not an attempt. */
const isFailure = (paid: PaymentResult | null): boolean =>
  paid?.state === 'waiting' || (paid?.state === 'settled' && paid.outcome.outcome !== 'done')

/** Returns whether the limit on refused PINs counts an attempt. */
function isRefusedPin({ sandbox }: Intent, paid: PaymentResult | null): boolean {
  const outcome = paid?.state === 'settled' ? paid.outcome.outcome : null
  return outcome === 'refused' || (sandbox && outcome === 'declined')
}
