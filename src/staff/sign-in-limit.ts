import type { Deps } from '../deps.ts'
import { createLimitByNetwork } from '../security/failed-attempts/by-network.ts'
import { signInAttempts } from '../security/failed-attempts/collections.ts'
import { createLimiter } from '../security/failed-attempts/limiter.ts'
import { networkOf } from '../security/network.ts'

/**
 * One name from one address: 10 tries in a quarter of an hour. From other addresses the same name stays open, so that nobody
 * is locked out by a stranger.
 */
const perName = { name: 'name', max: 10, seconds: 900 }
/**
 * One address may fail 50 times an hour, over all names: enough for an office behind one address. Larger prefixes have their share
 * (network.ts), so that the 65 536 networks of a /48 cannot occupy the password check.
 */
const perAddress = {
  name: 'network',
  perNetwork: 50,
  seconds: 3600,
  perFailure: 1,
  countsAhead: 'stored',
} as const
/** How long the first, second, … try of a name waits before it is looked at; the last holds for all further ones. */
const delaysMs = [0, 0, 250, 500, 1000, 2000, 3000] as const

/** A try that was counted: let in after a delay, or not, and then how long until one is. */
export type Try =
  | { isOpen: true; delayMs: number; takeBack(isGood: boolean): Promise<void> }
  | { isOpen: false; closedMs: number }

/** Counts a try before it is looked at, so that many at once do not slip through. `takeBack` when it shall not count. */
export type CountTry = (name: string, ip: string) => Promise<Try>

export function createSignInLimit(deps: Pick<Deps, 'mongo' | 'log' | 'now' | 'secrets'>): CountTry {
  const names = createLimiter(deps, signInAttempts, perName)
  const addresses = createLimitByNetwork(deps, signInAttempts, perAddress)
  return async (name, ip) => {
    // What is typed there may be a password.
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
      async takeBack(isGood) {
        // A good one also forgets the failures before it.
        await (isGood ? names.forget(key) : names.giveBack(key))
        await address.leave()
      },
    }
  }
}
