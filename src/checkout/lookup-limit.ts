import { lookUpBusiness } from '../businesses/look-up.ts'
import type { Deps } from '../deps.ts'
import { type Attempt, createLimitByNetwork } from '../security/failed-attempts/by-network.ts'
import { checkoutAttempts } from '../security/failed-attempts/collections.ts'

/** `closed`: the network has failed too often. The response is the same whether or not the payment exists. */
export type Lookup<Found> =
  | { outcome: 'found'; found: Found }
  | { outcome: 'missed' }
  | { outcome: 'closed'; closedMs: number }

/**
 * Looks up links and codes that a visitor may be guessing. `find` resolves to null for a miss, and only misses count.
 */
export interface LookupLimit {
  /**
   * Looks up a short code from a page's URL. `ip` is null for a visitor with a proof (link-proof.ts), who is never
   * limited.
   */
  link<Found>(ip: string | null, find: () => Promise<Found | null>): Promise<Lookup<Found>>
  /** Looks up a payment code that was typed: a live one, or a test code of a business. */
  code<Found>(ip: string, sandboxOf: string | null, find: () => Promise<Found | null>): Promise<Lookup<Found>>
}

/**
 * Misses of one network in ten minutes (network.ts has the shares of larger prefixes: 300 for an IPv4 /24 or an IPv6
 * /48, 3 000 for an IPv4 /16 or an IPv6 /32).
 *
 * Against a guesser: with 10 000 of a million codes in use, one lookup in 100 finds a payment. So one address finds 43
 * a day, a /48 or a /24 about 430, and a whole /16 fewer than half of those in use. The alert for all misses together
 * fires long before that.
 *
 * For a carrier: some 4 000 customers share one address of a carrier-grade NAT. If 100 of them type a code in ten
 * minutes and one in 20 is mistyped, that is 5 misses. 10 000 codes with a lifetime of a day are 70 payments in ten
 * minutes: their typing errors fit into one address.
 */
const perNetwork = 30
const seconds = 600
/**
 * Points of a miss. A page view counts one point while its payment is looked up, so that customers behind one carrier
 * address do not close the page to each other. The price is that 300 links guessed at once get a response, but there
 * are 1 000 times as many short codes as payment codes.
 */
const perMissedLink = 10

export function createLookupLimit(
  deps: Pick<Deps, 'mongo' | 'log' | 'now' | 'metrics' | 'Business'>,
): LookupLimit {
  const limitOf = (name: string, perFailure: number, countsAhead: 'stored' | 'process') =>
    createLimitByNetwork(deps, checkoutAttempts, { name, perNetwork, seconds, perFailure, countsAhead })
  // Page views are frequent and short codes are hard to guess, so a view of a payment that exists writes nothing.
  const links = limitOf('link', perMissedLink, 'process')
  const codes = limitOf('code', 1, 'stored')
  const testCodes = limitOf('test-code', 1, 'stored')
  const counted = <Found>(kind: string, lookup: Lookup<Found>): Lookup<Found> => {
    deps.metrics.lookups.inc({ kind, outcome: lookup.outcome })
    return lookup
  }

  return {
    // The lookup runs in parallel with the count, and its result is withheld if the network is closed.
    async link(ip, find) {
      if (ip === null) return found(await find())
      const lookup = find()
      // An error of the lookup is thrown where it is awaited.
      lookup.catch(() => undefined)
      return counted('link', await settle(await links(ip), () => lookup))
    },
    async code(ip, sandboxOf, find) {
      if (sandboxOf === null) return counted('code', await settle(await codes(ip), find))
      // Unknown business ids share one count. Otherwise each would add a document.
      const business = await lookUpBusiness(deps, sandboxOf)
      return counted('test-code', await settle(await testCodes(ip, business?._id ?? 'none'), find))
    },
  }
}

const found = <Found>(result: Found | null): Lookup<Found> =>
  result === null ? { outcome: 'missed' } : { outcome: 'found', found: result }

/** Counts a miss before the visitor gets the response. */
async function settle<Found>(attempt: Attempt, find: () => Promise<Found | null>): Promise<Lookup<Found>> {
  if (!attempt.isOpen) return { outcome: 'closed', closedMs: attempt.closedMs }
  let isMiss = false
  try {
    const result = await find()
    isMiss = result === null
    if (isMiss) await attempt.fail()
    return found(result)
  } finally {
    // The customer does not wait for this write. A point that is left over expires within minutes.
    if (!isMiss) void attempt.leave().catch(() => undefined)
  }
}
