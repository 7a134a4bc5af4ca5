import type { Deps } from '../platform/deps.ts'
import { networkOf } from '../platform/network.ts'
import { createNetworkLimit } from '../security/network-limit.ts'
import { isRecoveryCode } from './second-factor/recovery-codes.ts'

/**
 * For one name from one network, in 15 minutes. The name still works from other networks, so a stranger can't lock out
 * a member of staff.
 */
export const nameBudget = {
  what: 'Failed sign-ins of staff under one name from one network',
  owner: 'name and network',
  gets: 'the page asks to wait',
  max: 10,
  seconds: 900,
}
/**
 * Wrong codes of an authenticator app for one account in an hour, from anywhere. Only a person who knows the password
 * can use this up. At this rate, finding a code takes years on average. Recovery codes don't count here, so that the
 * owner can still sign in with one; they're too random to be guessed.
 */
export const codeBudget = {
  what: 'Wrong codes of an authenticator app',
  owner: 'member of staff',
  gets: 'the page asks to wait',
  max: 10,
  seconds: 3600,
}
/**
 * Failed sign-ins from one network in an hour, whatever the names. High enough for an office in which all staff share
 * one address. Larger networks have their own limits (network.ts), so that the 65 536 networks of a /48 can't use up
 * all of the time for password checks.
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
 * Before the password is checked: the first delay for the first sign-in under a name, the second for the second, and
 * so on. Any further ones get the last.
 */
const delaysMs = [0, 0, 250, 500, 1000, 2000, 3000] as const

/** If `isOpen`, check the password after `delayMs`. `takeBack` uncounts it. */
export type SignInAttempt =
  | { isOpen: true; delayMs: number; takeBack(isSuccess: boolean): Promise<void> }
  | { isOpen: false; closedMs: number }

/** Counts before the password is checked, so that concurrent sign-ins can't exceed the limit. */
export type CountAttempt = (name: string, ip: string) => Promise<SignInAttempt>
/** Counts before the code is checked. Whether it looks like a recovery code decides which limit applies. */
export type CountCode = (name: string, ip: string, code: string) => Promise<SignInAttempt>

type LimitDeps = Pick<Deps, 'counters' | 'log' | 'secrets'>

export function createSignInLimit(deps: LimitDeps): CountAttempt {
  const { counters, secrets } = deps
  const addresses = createNetworkLimit(deps, signInBudget)
  return async (name, ip) => {
    // Hashed, because people sometimes type their password into the name field.
    const named = { id: `sign-in-name ${networkOf(ip)} ${secrets.hash(name)}`, ...nameBudget }
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
        // After a successful sign-in, earlier failures under this name no longer count either.
        await (isSuccess ? counters.forget(named) : counters.giveBack([named]))
        await address.leave()
      },
    }
  }
}

/** A code also counts as a sign-in (`countAttempt`). */
function createCodeLimit({ counters, secrets }: LimitDeps, countAttempt: CountAttempt): CountCode {
  return async (name, ip, code) => {
    if (isRecoveryCode(code)) return countAttempt(name, ip)
    const account = { id: `sign-in-code ${secrets.hash(name)}`, ...codeBudget }
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

/** One per process. */
export type SignInChecks = ReturnType<typeof createSignInChecks>

export function createSignInChecks(deps: LimitDeps & Pick<Deps, 'slowHash'>) {
  const countAttempt = createSignInLimit(deps)
  return {
    countAttempt,
    countCode: createCodeLimit(deps, countAttempt),
    // One password at a time, so that a flood of sign-ins doesn't delay checks of customers' PINs.
    checkPassword: deps.slowHash.createCheck(1),
  }
}
