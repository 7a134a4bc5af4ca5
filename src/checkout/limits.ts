import type { Deadline } from '../http/server/timeouts.ts'
import type { Intent } from '../intents/intent.ts'
import type { PaymentResult } from '../intents/payments/pay.ts'
import { createRefusedPins, settlePin } from '../intents/payments/refused-pins.ts'
import type { Deps } from '../platform/deps.ts'
import { type Check, createNetworkLimit, type NetworkBudget } from '../security/network-limit.ts'

const pageBudget = { gets: 'the page asks to wait', perFailure: 1, countsAhead: 'stored' } as const

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
  ...pageBudget,
  name: 'payment',
  what: 'Failed attempts to pay one intent',
  perNetwork: 20,
  seconds: 3600,
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

async function leave(attempt: Check): Promise<void> {
  if (attempt.isOpen) await attempt.leave()
}

/**
 * The result of a lookup. `closed` means that too many lookups from this network have failed. The response is then the
 * same whether or not the payment exists.
 */
export type Lookup<Found> =
  | { outcome: 'found'; found: Found }
  | { outcome: 'missed' }
  | { outcome: 'closed'; closedMs: number }

/**
 * Looks up links and codes that a visitor may be guessing. `find` must resolve to null for a miss. Only misses count
 * towards the limit.
 */
export type LookupLimit = ReturnType<typeof createLookupLimit>

/**
 * How many misses (lookups that find no payment) one network may have in ten minutes. For larger prefixes, the limit is
 * a multiple of this number (network.ts): ten times for an IPv4 /24 or an IPv6 /48, and a hundred times for an IPv4 /16
 * or an IPv6 /32.
 *
 * The limit stops attackers who guess codes. With one address, an attacker can make about 4 300 failed lookups a day
 * (30 in each of 144 periods of ten minutes). If 10 000 of a million codes are in use, one lookup in 100 finds a
 * payment, so this attacker finds about 43 payments a day. With a /48 or a /24, an attacker finds about 430 payments a
 * day, and even with a whole /16, fewer than half of all live codes. The alert on the total number of misses fires long
 * before that. There are 1 000 times as many short codes, so links may be missed ten times as often.
 *
 * The limit does not affect a mobile carrier's customers. About 4 000 of them share one address of a carrier-grade NAT.
 * If 100 of them type a code within ten minutes and one in 20 mistypes it, that causes 5 misses. If 10 000 codes are in
 * use and each is valid for a day, customers make 70 payments in ten minutes. Even if all of these customers shared one
 * address, their typing errors would stay within the limit.
 */
const misses = { ...pageBudget, seconds: 600 } as const
const codesMissed = 'Payment codes that do not exist, live and test each'
export const lookupBudgets = {
  // Page views are frequent and short codes are hard to guess, so viewing an existing payment writes nothing.
  link: { ...misses, name: 'link', what: 'Links that open no payment', perNetwork: 300, countsAhead: 'process' },
  code: { ...misses, name: 'code', what: codesMissed, perNetwork: 30 },
  testCode: { ...misses, name: 'test-code', what: codesMissed, perNetwork: 30 },
} satisfies Record<string, NetworkBudget>

export function createLookupLimit(deps: Pick<Deps, 'counters' | 'log' | 'metrics'>) {
  const links = createNetworkLimit(deps, lookupBudgets.link)
  const codes = createNetworkLimit(deps, lookupBudgets.code)
  const testCodes = createNetworkLimit(deps, lookupBudgets.testCode)
  const counted = <Found>(kind: string, lookup: Lookup<Found>): Lookup<Found> => {
    deps.metrics.lookups.inc({ kind, outcome: lookup.outcome })
    return lookup
  }

  return {
    /**
     * Looks up a short code from a page's URL. If the visitor has a proof (proofs.ts), `ip` is null and no limit
     * applies.
     */
    async link<Found>(ip: string | null, find: () => Promise<Found | null>): Promise<Lookup<Found>> {
      if (ip === null) return found(await find())
      // The lookup runs in parallel with the check of the limit. If the network is closed, the visitor does not get the
      // lookup's result.
      const lookup = find()
      // This handler only prevents an unhandled rejection. The error is thrown where the lookup is awaited.
      lookup.catch(() => undefined)
      return counted('link', await settle(await links(ip), () => lookup))
    },
    /** Looks up a typed payment code. */
    async code<Found>(
      ip: string,
      environment: 'live' | 'test',
      find: () => Promise<Found | null>,
    ): Promise<Lookup<Found>> {
      // Test codes have one counter for all businesses, whether or not they exist, so a refusal does not tell which do.
      const [kind, limit] = environment === 'live' ? (['code', codes] as const) : (['test-code', testCodes] as const)
      return counted(kind, await settle(await limit(ip), find))
    },
  }
}

const found = <Found>(result: Found | null): Lookup<Found> =>
  result === null ? { outcome: 'missed' } : { outcome: 'found', found: result }

/** Resolves to the result of a lookup. A miss is counted before the visitor gets the response. */
async function settle<Found>(attempt: Check, find: () => Promise<Found | null>): Promise<Lookup<Found>> {
  if (!attempt.isOpen) return { outcome: 'closed', closedMs: attempt.closedMs }
  let isMiss = false
  try {
    const result = await find()
    isMiss = result === null
    if (isMiss) await attempt.fail()
    return found(result)
  } finally {
    // This call takes the point back. For a code, it writes to MongoDB, and the customer does not wait for that write.
    // If the write fails, the point expires within minutes.
    if (!isMiss) void attempt.leave().catch(() => undefined)
  }
}
