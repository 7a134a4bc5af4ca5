import type { PointLimit } from '../limits/counter.ts'
import type { Deps } from '../platform/deps.ts'
import { networkOfIp } from '../platform/network.ts'
import { createNetworkLimit, type NetworkBudget } from '../security/network-limit.ts'
import { isRecoveryCode } from './second-factor-codes.ts'

export interface SignInLimits {
  /** Per network, so that a stranger can't lock anybody out. */
  name: PointLimitKind
  /** Only a person who knows the password can use this up. Guessing a code at this rate takes years. */
  code: PointLimitKind
  address: NetworkBudget
}

type PointLimitKind = Omit<PointLimit, 'id'> & { prefix: string; what: string; owner: string; gets: string }

const gets = 'the page asks to wait'

/** Each kind of account has budgets of its own. `name` begins their ids. */
export const signInLimits = (name: string, who: string, perNetwork: number): SignInLimits => ({
  name: {
    prefix: `${name}-name`,
    what: `Failed sign-ins of ${who} under one name from one network`,
    owner: 'name and network',
    gets,
    max: 10,
    seconds: 900,
  },
  code: {
    prefix: `${name}-code`,
    what: `Wrong authenticator codes of ${who}`,
    owner: 'account',
    gets,
    max: 10,
    seconds: 3600,
  },
  address: {
    name,
    what: `Failed sign-ins of ${who}`,
    gets,
    perNetwork,
    seconds: 3600,
    perFailure: 1,
    countsAhead: 'stored',
  },
})

/** Delays before successive password checks under one name. */
const delaysMs = [0, 0, 250, 500, 1000, 2000, 3000] as const

export type SignInAttempt =
  | { isOpen: true; delayMs: number; takeBack(isSuccess: boolean): Promise<unknown> }
  | { isOpen: false; closedMs: number }

export type SignInChecks = ReturnType<typeof createSignInChecks>

export function createSignInChecks(
  deps: Pick<Deps, 'counters' | 'log' | 'secrets' | 'slowHash'>,
  limits: SignInLimits,
) {
  const { counters, secrets, slowHash } = deps
  const addresses = createNetworkLimit(deps, limits.address)

  async function within(bound: PointLimit, next: () => Promise<SignInAttempt>): Promise<SignInAttempt> {
    const [closedMs = 0] = await counters.take([bound])
    if (closedMs > 0) return { isOpen: false, closedMs }
    const attempt = await next()
    if (!attempt.isOpen) {
      await counters.giveBack([bound])
      return attempt
    }
    return {
      ...attempt,
      async takeBack(isSuccess) {
        await (isSuccess ? counters.forget(bound) : counters.giveBack([bound]))
        await attempt.takeBack(isSuccess)
      },
    }
  }

  async function countAttempt(name: string, ip: string): Promise<SignInAttempt> {
    // People sometimes type their password into the name field.
    const named = { ...limits.name, id: `${limits.name.prefix} ${networkOfIp(ip)} ${secrets.hash(name)}` }
    const address = await addresses(ip)
    if (!address.isOpen) return address
    const attempt = await within(named, async () => {
      const { used } = await counters.look(named, 0)
      const delayMs = delaysMs[Math.min(used, delaysMs.length) - 1] ?? 0
      return { isOpen: true, delayMs, takeBack: address.leave }
    })
    if (!attempt.isOpen) await address.leave()
    return attempt
  }

  /** Entering a code also counts as a sign-in. */
  async function countCode(name: string, ip: string, code: string): Promise<SignInAttempt> {
    if (isRecoveryCode(code)) return countAttempt(name, ip)
    const account = { ...limits.code, id: `${limits.code.prefix} ${secrets.hash(name)}` }
    return within(account, () => countAttempt(name, ip))
  }

  // A flood of sign-ins must not delay customers' PIN checks.
  return { countAttempt, countCode, checkPassword: slowHash.createCheck(1) }
}
