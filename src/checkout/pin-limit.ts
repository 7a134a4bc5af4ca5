import type { Deps } from '../deps.ts'
import type { Deadline } from '../http/deadline.ts'
import type { Intent } from '../intents/intent.ts'
import type { Paid } from '../intents/payments/pay.ts'
import { networkOf, siteOf } from '../network.ts'
import { addEach, type Counted, countEach, createTries, giveBackEach } from '../tries.ts'
import { guessTries } from './guesses.ts'

/**
 * Pays within the limits on tries. For its network each try counts before the wallet is called, so that of many at once no more get there, and
 * counts no more unless its PIN was refused. `closed`: the wallet was not called.
 */
export type PinLimit = (
  ip: string,
  intent: Intent,
  spend: Deadline['spend'],
  pay: () => Promise<Paid>,
) => Promise<Paid | { state: 'closed'; closedMs: number }>

/**
 * Attempts of one intent that come to nothing, whatever the reason: more than any customer makes, too few for whoever tries phone numbers, and so
 * few that the 50 which the intent remembers (payments/under-way.ts) outlast the 2 h of a form: sent again it is told what became of it.
 */
const mostOfIntent = 20
const intentMs = 3_600_000

const seconds = 600
/** Behind one address there may be all customers of a carrier. */
const perNetwork = 60
/** A payment under way counts as one, and a refused PIN as this many: 180 may be paying at once. So of many tries at once 180 reach a wallet. */
const perRefusal = 3
/** Of IPv6, ten networks, as in guesses.ts. */
const perSite = 600
/** Test wallets hold nothing: enough for a test suite, and no endless work on PINs. One's tests stop nobody else. */
const ofTests = 600

export function createPinLimit(deps: Pick<Deps, 'mongo' | 'now'>): PinLimit {
  const tries = (name: string, most: number) =>
    createTries(deps.mongo, guessTries, { name, most: most * perRefusal, seconds })
  const networks = tries('pin', perNetwork)
  const sites = tries('pin-site', perSite)
  const tests = tries('test-pin', ofTests)
  const countsOf = (ip: string, { sandbox, businessId }: Intent) => {
    const [network, site] = [networkOf(ip), siteOf(ip)]
    if (sandbox) return [{ tries: tests, key: `${businessId} ${network}` }]
    const own = { tries: networks, key: network }
    return site === null ? [own] : [own, { tries: sites, key: site }]
  }
  const end = (counts: readonly Counted[], paid: Paid | null) =>
    paid?.state === 'settled' && paid.outcome.outcome === 'refused'
      ? addEach(counts, perRefusal - 1)
      : giveBackEach(counts)
  return async (ip, intent, spend, pay) => {
    const closedMs = intentClosedMs(intent, deps.now())
    if (closedMs > 0) return { state: 'closed', closedMs }
    const counts = countsOf(ip, intent)
    const counted = await spend(() => countEach(counts))
    if (!counted.isOpen) return { state: 'closed', closedMs: counted.closedMs }
    let paid: Paid | null = null
    try {
      paid = await pay()
      return paid
    } finally {
      // No customer waits for it; what is lost is forgotten within minutes.
      void end(counts, paid).catch(() => undefined)
    }
  }
}

/** How long until an intent may be tried again. One payment of it is under way at a time: who read it just before the last one ended gets one more. */
function intentClosedMs({ attempts }: Intent, now: Date): number {
  const first = attempts.at(-mostOfIntent)
  return first === undefined ? 0 : Math.max(0, first.at.getTime() + intentMs - now.getTime())
}
