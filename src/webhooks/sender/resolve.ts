import dns from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress, isSynthesised } from './address.ts'
import { type Fault, faults, resolveFault } from './faults.ts'

export interface Address {
  address: string
  family: number
}
export type Resolve = (hostname: string) => Promise<Address[]>

/** At most this many addresses are tried, because one attempt has 30 s for all. All addresses are checked. */
const mostAddresses = 4

/** More than any real host has. Checking 4 000 addresses, which a name server may return, blocks the process for 30 ms. */
const mostChecked = 100

/** Two tries of 2 s and 4 s: a lost packet is made good, a dead name server leaves time to say so. */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })

/**
 * Asks the name servers directly. `dns.lookup` would do it on the four threads that the whole process shares, so that a few
 * names with dead name servers would keep every other receiver waiting.
 */
async function askNameServers(hostname: string): Promise<Address[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  const found = (answer: typeof four, family: number): Address[] =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
  return [...found(four, 4), ...found(six, 6)]
}

/** A receiver in WEBHOOK_ALLOWED_HOSTS may stand in the hosts file only (`localhost`, a name of the container network). */
const lookUp: Resolve = (hostname) => dns.lookup(hostname, { all: true })

/** The default: public names from public DNS, allowed ones as this machine knows them. */
export const resolverFor = (allowed: boolean): Resolve => (allowed ? lookUp : askNameServers)

/** Waits for `promise` no longer than `deadline`; a late answer is dropped, a late failure silenced. */
function withinDeadline<T>(promise: Promise<T>, deadline: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const late = (): void => resolve(null)
    if (deadline.aborted) late()
    deadline.addEventListener('abort', late)
    promise.then(resolve, reject)
  })
}

/** How addresses are resolved, and the ranges that are never connected to, even for an allowed host (WEBHOOK_BLOCKED_RANGES). */
export interface Lookup {
  resolve: Resolve
  isBlocked: (address: string) => boolean
}

/**
 * The addresses of `hostname` that may be connected to. Unless the host is `allowed`, one address that is not public makes the whole name
 * refused. Otherwise the owner of the name could wait until that address is used. Addresses that the network adds are only ignored: those of
 * DNS64, and those in blocked ranges, which include the network's own NAT64 prefix.
 */
export async function findAddresses(
  { resolve, isBlocked }: Lookup,
  target: { hostname: string; allowed: boolean },
  deadline: AbortSignal,
): Promise<{ addresses: Address[] } | { fault: Fault }> {
  const family = isIP(target.hostname)
  const literal = [{ address: target.hostname, family }]
  try {
    const found = family ? literal : await withinDeadline(resolve(target.hostname), deadline)
    if (found === null) return { fault: faults.lateName }
    if (found.length === 0) return { fault: faults.noSuchName }
    if (found.length > mostChecked) return { fault: faults.manyAddresses }
    const addresses = found.filter(({ address }) => !isBlocked(address) && !isSynthesised(address))
    const isRefused = !target.allowed && addresses.some(({ address }) => !isPublicAddress(address))
    if (isRefused || addresses.length === 0) return { fault: faults.notPublic }
    return { addresses: addresses.slice(0, mostAddresses) }
  } catch (error) {
    return { fault: resolveFault(error) }
  }
}
