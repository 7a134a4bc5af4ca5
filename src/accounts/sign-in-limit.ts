import type { PointLimit } from '../limits/counter.ts'
import type { Deps } from '../platform/deps.ts'
import { networkOfIp } from '../platform/network.ts'
import { createNetworkLimit } from '../security/network-limit.ts'
import { isRecoveryCode } from './second-factor-codes.ts'

/** Counts per network, so that a stranger can't lock out a member of staff. */
export const signInNameLimit = {
  what: 'Failed sign-ins of staff under one name from one network',
  owner: 'name and network',
  gets: 'the page asks to wait',
  max: 10,
  seconds: 900,
}
/**
 * Only a person who knows the password can use this up.
 * Guessing a code at this rate takes years.
 */
export const codeFailureLimit = {
  what: 'Wrong authenticator codes',
  owner: 'member of staff',
  gets: 'the page asks to wait',
  max: 10,
  seconds: 3600,
}
/** High enough for an office that shares one address. */
export const signInLimit = {
  name: 'sign-in',
  what: 'Failed sign-ins of staff',
  gets: 'the page asks to wait',
  perNetwork: 50,
  seconds: 3600,
  perFailure: 1,
  countsAhead: 'stored',
} as const
/** Delays before successive password checks under one name. */
const delaysMs = [0, 0, 250, 500, 1000, 2000, 3000] as const

export type SignInAttempt =
  | { isOpen: true; delayMs: number; takeBack(isSuccess: boolean): Promise<unknown> }
  | { isOpen: false; closedMs: number }

export type SignInChecks = ReturnType<typeof createSignInChecks>

export function createSignInChecks(deps: Pick<Deps, 'counters' | 'log' | 'secrets' | 'slowHash'>) {
  const { counters, secrets, slowHash } = deps
  const addresses = createNetworkLimit(deps, signInLimit)

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
    const named = { id: `sign-in-name ${networkOfIp(ip)} ${secrets.hash(name)}`, ...signInNameLimit }
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
    const account = { id: `sign-in-code ${secrets.hash(name)}`, ...codeFailureLimit }
    return within(account, () => countAttempt(name, ip))
  }

  // A flood of sign-ins must not delay customers' PIN checks.
  return { countAttempt, countCode, checkPassword: slowHash.createCheck(1) }
}
