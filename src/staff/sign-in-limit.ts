import type { Deps } from '../platform/deps.ts'
import { networkOf } from '../platform/network.ts'
import { createNetworkLimit } from '../security/network-limit.ts'
import { isRecoveryCode } from './second-factor/recovery-codes.ts'

/**
 * The limit on attempts to sign in under one name from one network within 15 minutes. Sign-ins under this name remain
 * possible from other networks, so that a stranger cannot lock out a member of staff.
 */
export const perName = {
  what: 'Failed sign-ins of staff under one name from one network',
  owner: 'name and network',
  gets: 'the page asks to wait',
  max: 10,
  seconds: 900,
}
/**
 * The limit on wrong codes of an authenticator app for one account within an hour, regardless of the network. Only a
 * person who knows the password can use up this limit. At this rate, finding a code takes years on average. Recovery
 * codes do not share this limit, so that the owner can still sign in with one. They are too random to be guessed.
 */
export const perAccount = {
  what: 'Wrong codes of an authenticator app',
  owner: 'member of staff',
  gets: 'the page asks to wait',
  max: 10,
  seconds: 3600,
}
/**
 * The limit on failed attempts to sign in from one network within an hour, regardless of the names that are entered.
 * The limit is high enough for an office in which all staff share one address. Larger networks have their own limits
 * (network.ts), so that the 65 536 networks of a /48 cannot use up all of the time for password checks.
 */
export const signInBudget = {
  name: 'sign-in',
  what: 'Failed sign-ins of staff',
  gets: 'the page asks to wait',
  perNetwork: 50,
  seconds: 3600,
  perFailure: 1,
  countsAhead: 'stored',
} as const
/**
 * The delays before the password is checked. The first attempt to sign in under a name has the first delay, the second
 * attempt has the second delay, and so on. The last delay also applies to all further attempts.
 */
const delaysMs = [0, 0, 250, 500, 1000, 2000, 3000] as const

/**
 * A counted attempt. If `isOpen` is true, the password may be checked after `delayMs`, and `takeBack` removes the
 * attempt from the count. If `isOpen` is false, no further attempt is accepted for `closedMs`.
 */
export type SignInAttempt =
  | { isOpen: true; delayMs: number; takeBack(isSuccess: boolean): Promise<void> }
  | { isOpen: false; closedMs: number }

/** Counts an attempt before the password is checked, so that concurrent attempts cannot exceed the limit. */
export type CountAttempt = (name: string, ip: string) => Promise<SignInAttempt>
/** Counts an attempt to enter a code, before the code is checked. The form of the code determines the limit. */
export type CountCode = (name: string, ip: string, code: string) => Promise<SignInAttempt>

type LimitDeps = Pick<Deps, 'counters' | 'log' | 'secrets'>

export function createSignInLimit(deps: LimitDeps): CountAttempt {
  const { counters, secrets } = deps
  const addresses = createNetworkLimit(deps, signInBudget)
  return async (name, ip) => {
    // The name is hashed, because people sometimes type their password into the name field.
    const named = { id: `sign-in-name ${networkOf(ip)} ${secrets.hash(name)}`, ...perName }
    const address = await addresses(ip)
    if (!address.isOpen) return address
    const [closedMs = 0] = await counters.take([named])
    if (closedMs > 0) {
      await address.leave()
      return { isOpen: false, closedMs }
    }
    const { used } = await counters.look(named, 0)
    return {
      isOpen: true,
      delayMs: delaysMs[Math.min(used, delaysMs.length) - 1] ?? 0,
      async takeBack(isSuccess) {
        // After a successful sign-in, earlier failed attempts under this name no longer count either.
        await (isSuccess ? counters.forget(named) : counters.giveBack([named]))
        await address.leave()
      },
    }
  }
}

/**
 * Limits attempts to enter a code of an account's second factor. The attempts also count as attempts to sign in
 * (`countAttempt`).
 */
function createCodeLimit({ counters, secrets }: LimitDeps, countAttempt: CountAttempt): CountCode {
  return async (name, ip, code) => {
    if (isRecoveryCode(code)) return countAttempt(name, ip)
    const account = { id: `sign-in-code ${secrets.hash(name)}`, ...perAccount }
    const [closedMs = 0] = await counters.take([account])
    if (closedMs > 0) return { isOpen: false, closedMs }
    const attempt = await countAttempt(name, ip)
    if (!attempt.isOpen) {
      await counters.giveBack([account])
      return attempt
    }
    return {
      ...attempt,
      async takeBack(isSuccess) {
        await (isSuccess ? counters.forget(account) : counters.giveBack([account]))
        await attempt.takeBack(isSuccess)
      },
    }
  }
}

/** Limits and checks the attempts to sign in. A process has one of each. */
export type SignInChecks = ReturnType<typeof createSignInChecks>

export function createSignInChecks(deps: LimitDeps & Pick<Deps, 'slowHash'>) {
  const countAttempt = createSignInLimit(deps)
  return {
    countAttempt,
    countCode: createCodeLimit(deps, countAttempt),
    // Only one password is checked at a time, so that a flood of sign-ins does not delay checks of customers' PINs.
    checkPassword: deps.slowHash.createCheck(1),
  }
}
