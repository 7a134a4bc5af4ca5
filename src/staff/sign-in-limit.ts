import type { Deps } from '../deps.ts'
import { createLimitByNetwork } from '../security/failed-attempts/by-network.ts'
import { signInAttempts } from '../security/failed-attempts/collections.ts'
import { createLimiter } from '../security/failed-attempts/limiter.ts'
import { createPoints } from '../security/failed-attempts/points.ts'
import { networkOf } from '../security/network.ts'
import { fairShare, type SlowCheck } from '../security/slow-hash.ts'
import { isRecoveryCode } from './second-factor/recovery-codes.ts'

/**
 * The limit on attempts to sign in under one name from one network within 15 minutes. Sign-ins under this name remain
 * possible from other networks, so that a stranger cannot lock out a member of staff.
 */
const perName = { name: 'name', max: 10, seconds: 900 }
/**
 * The limit on wrong codes of an authenticator app for one account within an hour, regardless of the network. Only a
 * person who knows the password can use up this limit. At this rate, finding a code takes years on average. Recovery
 * codes do not share this limit, so that the owner can still sign in with one. They are too random to be guessed.
 */
const perAccount = { name: 'code', max: 10, seconds: 3600 }
/**
 * The limit on failed attempts to sign in from one network within an hour, regardless of the names that are entered.
 * The limit is high enough for an office in which all staff share one address. Larger networks have their own limits
 * (network.ts), so that the 65 536 networks of a /48 cannot use up all of the time for password checks.
 */
const perAddress = {
  name: 'network',
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

export function createSignInLimit(deps: Pick<Deps, 'mongo' | 'log' | 'now' | 'secrets'>): CountAttempt {
  const names = createLimiter(deps, signInAttempts, perName)
  const addresses = createLimitByNetwork(deps, createPoints(deps, signInAttempts), perAddress)
  return async (name, ip) => {
    // The name is hashed, because people sometimes type their password into the name field.
    const key = `${networkOf(ip)} ${deps.secrets.hash(name)}`
    const address = await addresses(ip)
    if (!address.isOpen) return { isOpen: false, closedMs: address.closedMs }
    const named = await names.count(key)
    if (!named.isOpen) {
      await address.leave()
      return { isOpen: false, closedMs: named.closedMs }
    }
    return {
      isOpen: true,
      delayMs: delaysMs[Math.min(named.counted, delaysMs.length) - 1] ?? 0,
      async takeBack(isSuccess) {
        // After a successful sign-in, earlier failed attempts under this name no longer count either.
        await (isSuccess ? names.forget(key) : names.giveBack(key))
        await address.leave()
      },
    }
  }
}

/**
 * Limits attempts to enter a code of an account's second factor. The attempts also count as attempts to sign in
 * (`countAttempt`).
 */
function createCodeLimit(deps: Pick<Deps, 'mongo' | 'now' | 'secrets'>, countAttempt: CountAttempt): CountCode {
  const accounts = createLimiter(deps, signInAttempts, perAccount)
  return async (name, ip, code) => {
    if (isRecoveryCode(code)) return countAttempt(name, ip)
    const key = deps.secrets.hash(name)
    const counted = await accounts.count(key)
    if (!counted.isOpen) return { isOpen: false, closedMs: counted.closedMs }
    const attempt = await countAttempt(name, ip)
    if (!attempt.isOpen) {
      await accounts.giveBack(key)
      return attempt
    }
    return {
      ...attempt,
      async takeBack(isSuccess) {
        await (isSuccess ? accounts.forget(key) : accounts.giveBack(key))
        await attempt.takeBack(isSuccess)
      },
    }
  }
}

/** Limits and checks the attempts to sign in. A process has one of each. */
export interface SignInChecks {
  countAttempt: CountAttempt
  countCode: CountCode
  checkPassword: SlowCheck
}

export function createSignInChecks(deps: Pick<Deps, 'mongo' | 'log' | 'now' | 'secrets' | 'slowHash'>): SignInChecks {
  const countAttempt = createSignInLimit(deps)
  return {
    countAttempt,
    countCode: createCodeLimit(deps, countAttempt),
    // Only one password is checked at a time, so that a flood of sign-ins does not delay checks of customers' PINs.
    checkPassword: deps.slowHash.createCheck(fairShare, 1),
  }
}
