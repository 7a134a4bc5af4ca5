import type { Deadline } from '../http/server/timeouts.ts'
import type { Intent } from '../intents/intent.ts'
import type { PaymentResult } from '../intents/payments/pay.ts'
import { createRefusedPinLimit, settlePinCheck } from '../intents/payments/refused-pins.ts'
import type { Deps } from '../platform/deps.ts'
import { createNetworkLimit, type NetworkBudget, type NetworkCheck } from '../security/network-limit.ts'

const pageBudget = { gets: 'the page asks to wait', perFailure: 1, countsAhead: 'stored' } as const

/**
 * Counts each payment before calling the wallet, so that concurrent
 * payments can't exceed the limit. Afterwards, only failures stay counted.
 */
export type PinLimit = (
  ip: string,
  intent: Pick<Intent, '_id' | 'sandbox' | 'businessId'>,
  withinDeadline: Deadline['run'],
  pay: () => Promise<PaymentResult>,
) => Promise<PaymentResult | { state: 'closed'; closedMs: number }>

/**
 * No genuine customer fails this often. The limit is per network, because
 * a stranger who has the link must not lock out the customer.
 */
export const paymentFailureBudget = {
  ...pageBudget,
  name: 'payment',
  what: 'Failed attempts to pay one intent',
  perNetwork: 20,
  seconds: 3600,
} as const

export function createPinLimit(deps: Pick<Deps, 'counters' | 'log'>): PinLimit {
  const refusedPins = createRefusedPinLimit(deps)
  const intents = createNetworkLimit(deps, paymentFailureBudget)
  return async (ip, intent, withinDeadline, pay) => {
    const attempts = [intents(ip, intent._id), refusedPins.count(ip, intent)] as const
    const [ofPayment, ofNetwork] = await withinDeadline(() => Promise.all(attempts)).catch(
      (error: unknown) => {
        for (const each of attempts) void each.then(leave).catch(() => undefined)
        throw error
      },
    )
    if (!ofPayment.isOpen || !ofNetwork.isOpen) {
      const both = [ofPayment, ofNetwork]
      await withinDeadline(() => Promise.all(both.map(leave)))
      return { state: 'closed', closedMs: Math.max(...both.map((each) => (each.isOpen ? 0 : each.closedMs))) }
    }
    // The wallet may have been called, so the payment counts if this throws.
    const paid = await pay().catch((error: unknown) => {
      void ofPayment.fail().catch(() => undefined)
      throw error
    })
    const outcome = paid.state === 'settled' ? paid.outcome : null
    const hasFailed = paid.state === 'waiting' || (outcome !== null && outcome.outcome !== 'done')
    void (hasFailed ? ofPayment.fail() : ofPayment.leave()).catch(() => undefined)
    if (paid.state !== 'waiting') settlePinCheck(ofNetwork, intent, outcome)
    return paid
  }
}

async function leave(attempt: NetworkCheck) {
  if (attempt.isOpen) await attempt.leave()
}

type LimitedLookup<Found> =
  | { outcome: 'found'; found: Found }
  | { outcome: 'missed' }
  | { outcome: 'closed'; closedMs: number }

/** Counts only lookups whose `find` resolves to null. */
export type LookupLimit = ReturnType<typeof createLookupLimit>

/**
 * If 10,000 of a million codes are in use, one guess in 100 is a hit. With
 * 30 misses in ten minutes, an address can find 43 payments a day, and a /16
 * (network.ts) fewer than half of all live codes. Customers never notice:
 * even 100 customers behind one address mistype only about 5 codes.
 */
const misses = { ...pageBudget, seconds: 600 } as const
const codesMissed = 'Wrong payment codes, counted separately for live and test'
export const lookupBudgets = {
  // Viewing an existing payment is frequent, so it writes nothing.
  link: {
    ...misses,
    name: 'link',
    what: 'Links that open no payment',
    perNetwork: 300,
    countsAhead: 'process',
  },
  code: { ...misses, name: 'code', what: codesMissed, perNetwork: 30 },
  testCode: { ...misses, name: 'test-code', what: codesMissed, perNetwork: 30 },
} satisfies Record<string, NetworkBudget>

export function createLookupLimit(deps: Pick<Deps, 'counters' | 'log' | 'metrics'>) {
  const links = createNetworkLimit(deps, lookupBudgets.link)
  const codes = createNetworkLimit(deps, lookupBudgets.code)
  const testCodes = createNetworkLimit(deps, lookupBudgets.testCode)
  const counted = <Found>(kind: string, lookup: LimitedLookup<Found>): LimitedLookup<Found> => {
    deps.metrics.lookups.inc({ kind, outcome: lookup.outcome })
    return lookup
  }

  return {
    /** `ip` is null for a visitor with a proof, who isn't limited. */
    async link<Found>(ip: string | null, find: () => Promise<Found | null>): Promise<LimitedLookup<Found>> {
      if (ip === null) return found(await find())
      // Starts the lookup early to save time. A closed limit ignores it.
      const lookup = find()
      // The error is thrown where the lookup is awaited.
      lookup.catch(() => undefined)
      return counted('link', await settle(await links(ip), () => lookup))
    },
    async code<Found>(
      ip: string,
      environment: 'live' | 'test',
      find: () => Promise<Found | null>,
    ): Promise<LimitedLookup<Found>> {
      // A shared counter doesn't reveal which businesses exist.
      const [kind, limit] =
        environment === 'live' ? (['code', codes] as const) : (['test-code', testCodes] as const)
      return counted(kind, await settle(await limit(ip), find))
    },
  }
}

const found = <Found>(result: Found | null): LimitedLookup<Found> =>
  result === null ? { outcome: 'missed' } : { outcome: 'found', found: result }

/** A miss is counted before the visitor gets the response. */
async function settle<Found>(
  attempt: NetworkCheck,
  find: () => Promise<Found | null>,
): Promise<LimitedLookup<Found>> {
  if (!attempt.isOpen) return { outcome: 'closed', closedMs: attempt.closedMs }
  let isMiss = false
  try {
    const result = await find()
    isMiss = result === null
    if (isMiss) await attempt.fail()
    return found(result)
  } finally {
    // The customer doesn't wait for this write.
    if (!isMiss) void attempt.leave().catch(() => undefined)
  }
}
