import type { Deps } from '../deps.ts'
import type { Deadline } from '../http/server/deadline.ts'
import type { Intent } from '../intents/intent.ts'
import type { PaymentResult } from '../intents/payments/pay.ts'
import { createRefusedPins, settlePin } from '../intents/payments/refused-pins.ts'
import { type Attempt, createNetworkLimit } from '../security/network-limit.ts'

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
export const paymentBudget = {
  name: 'payment',
  what: 'Failed attempts to pay one intent',
  gets: 'the page asks to wait',
  perNetwork: 20,
  seconds: 3600,
  perFailure: 1,
  countsAhead: 'stored',
} as const

export function createPinLimit(deps: Pick<Deps, 'counters' | 'log'>): PinLimit {
  const refusedPins = createRefusedPins(deps)
  const intents = createNetworkLimit(deps, paymentBudget)
  return async (ip, intent, withinDeadline, pay) => {
    const attempts = [intents(ip, intent._id), refusedPins.count(ip, intent)] as const
    const [ofPayment, ofNetwork] = await withinDeadline(() => Promise.all(attempts)).catch((error: unknown) => {
      for (const each of attempts) void each.then(leave).catch(() => undefined)
      throw error
    })
    if (!ofPayment.isOpen || !ofNetwork.isOpen) {
      const both = [ofPayment, ofNetwork]
      await withinDeadline(() => Promise.all(both.map(leave)))
      return { state: 'closed', closedMs: Math.max(...both.map((each) => (each.isOpen ? 0 : each.closedMs))) }
    }
    // If this throws, the attempt counts under both limits, because the wallet may have been called.
    const paid = await pay().catch((error: unknown) => {
      void ofPayment.fail().catch(() => undefined)
      throw error
    })
    const outcome = paid.state === 'settled' ? paid.outcome : null
    // The customer does not wait for these writes (refused-pins.ts).
    const hasFailed = paid.state === 'waiting' || (outcome !== null && outcome.outcome !== 'done')
    void (hasFailed ? ofPayment.fail() : ofPayment.leave()).catch(() => undefined)
    if (paid.state !== 'waiting') settlePin(ofNetwork, intent, outcome)
    return paid
  }
}

async function leave(attempt: Attempt): Promise<void> {
  if (attempt.isOpen) await attempt.leave()
}
