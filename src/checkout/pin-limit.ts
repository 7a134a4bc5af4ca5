import type { Deps } from '../deps.ts'
import { type Attempt, createLimitByNetwork } from '../failed-attempts/by-network.ts'
import type { Deadline } from '../http/deadline.ts'
import type { Intent } from '../intents/intent.ts'
import type { Paid } from '../intents/payments/pay.ts'
import { checkoutAttempts } from './lookup-limit.ts'

/**
 * Pays within the limits on failed attempts. An attempt counts for its network before the wallet is called, so concurrent attempts cannot exceed
 * the limit, and stays counted only if its PIN was refused (in the sandbox also if it was declined). `closed`: the wallet was not called.
 */
export type PinLimit = (
  ip: string,
  intent: Intent,
  spend: Deadline['spend'],
  pay: () => Promise<Paid>,
) => Promise<Paid | { state: 'closed'; closedMs: number }>

/**
 * Failed attempts of one intent, for any reason. More than any customer makes, and too few to try many phone numbers. Also few enough that the
 * 50 attempts which the intent remembers (payments/under-way.ts) outlast the 2 h of a form, so a form that is sent again returns its outcome.
 */
const mostOfIntent = 20
const intentMs = 3_600_000

const seconds = 600
/** Refused PINs of one network: many customers of a carrier share an address. Larger prefixes have their share (network.ts). */
const perNetwork = 60
/** Points of a refused PIN. A payment in progress counts one point, so 180 customers of one network may be paying at once. */
const perRefusal = 3
/**
 * The same for test wallets, which hold no money, counted per business. Declined payments count too, because each causes an event with a
 * delivery per endpoint. Enough for a test suite, and a bound on the work of checking PINs.
 */
const perNetworkOfTests = 600

export function createPinLimit(deps: Pick<Deps, 'mongo' | 'log' | 'now'>): PinLimit {
  const limitOf = (name: string, most: number) =>
    createLimitByNetwork(deps, checkoutAttempts, {
      name,
      perNetwork: most,
      seconds,
      perFailure: perRefusal,
      countsAhead: 'all',
    })
  const live = limitOf('pin', perNetwork)
  const tests = limitOf('test-pin', perNetworkOfTests)
  return async (ip, intent, spend, pay) => {
    const closedMs = intentClosedMs(intent, deps.now())
    if (closedMs > 0) return { state: 'closed', closedMs }
    const attempt = await spend(() => (intent.sandbox ? tests(ip, intent.businessId) : live(ip)))
    if (!attempt.isOpen) return { state: 'closed', closedMs: attempt.closedMs }
    let paid: Paid | null = null
    try {
      paid = await pay()
      return paid
    } finally {
      // The customer does not wait for this write. A point that is left over expires within minutes.
      void end(attempt, intent, paid).catch(() => undefined)
    }
  }
}

function end(attempt: Attempt & { isOpen: true }, { sandbox }: Intent, paid: Paid | null): Promise<void> {
  const outcome = paid?.state === 'settled' ? paid.outcome.outcome : null
  return outcome === 'refused' || (sandbox && outcome === 'declined') ? attempt.fail() : attempt.leave()
}

/** How long until an intent may be paid again, in ms. A request that read the intent just before the last attempt ended gets one more. */
function intentClosedMs({ attempts }: Intent, now: Date): number {
  const first = attempts.at(-mostOfIntent)
  return first === undefined ? 0 : Math.max(0, first.at.getTime() + intentMs - now.getTime())
}
