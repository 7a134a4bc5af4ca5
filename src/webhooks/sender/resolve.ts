import dns from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress, isSynthesised } from './address.ts'
import { type Fault, faults, resolveFault } from './faults.ts'

export interface Address {
  address: string
  family: number
}
export type Resolve = (hostname: string) => Promise<Address[]>

/**
 * The sender tries to connect to at most this many addresses of a name, because one attempt has only 30 s for all of
 * them. Before that, all addresses of the name are checked.
 */
const maxAddresses = 4

/**
 * The maximum number of addresses that a name may have, which is more than any real host has. A name server could
 * return 4 000 addresses, and checking that many would block the process for 30 ms.
 */
const maxChecked = 100

/**
 * Sends up to two queries, the first with a timeout of 2 s and the second with 4 s. A single lost packet therefore does
 * no harm, and there is enough time left to report that a name server does not respond.
 */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })

/**
 * Queries the name servers directly. `dns.lookup` would use the four threads that the whole process shares, so a few
 * names whose name servers do not respond would delay all other endpoints.
 */
async function queryNameServers(hostname: string): Promise<Address[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  const found = (result: typeof four, family: number): Address[] =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []
  return [...found(four, 4), ...found(six, 6)]
}

/**
 * Queries this machine's resolver, because the name servers may not know the hosts in WEBHOOK_ALLOWED_HOSTS, such as
 * `localhost` or the name of a container.
 */
const lookUp: Resolve = (hostname) => dns.lookup(hostname, { all: true })

/**
 * Returns the default way to resolve a name. Public names are resolved by the name servers, and allowed hosts by this
 * machine's resolver.
 */
export const resolverFor = (allowed: boolean): Resolve => (allowed ? lookUp : queryNameServers)

/**
 * Resolves to null if `promise` has not settled by the deadline. The later result or rejection of `promise` is then
 * ignored.
 */
function withinDeadline<T>(promise: Promise<T>, deadline: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const late = (): void => resolve(null)
    if (deadline.aborted) late()
    deadline.addEventListener('abort', late)
    promise.then(resolve, reject)
  })
}

/**
 * How names are resolved and which addresses are blocked. `isBlocked` returns whether connections to an address are
 * forbidden, even for an allowed host (WEBHOOK_BLOCKED_RANGES).
 */
export interface Lookup {
  resolve: Resolve
  isBlocked: (address: string) => boolean
}

/**
 * Returns the addresses of `hostname` to which a connection may be opened. Unless the host is `allowed`, a single
 * non-public address is enough to reject the name, because otherwise the owner of the name could simply wait until that
 * address is used. Addresses that DNS64 has derived and addresses in blocked ranges are ignored, because the network
 * may add such addresses to any name. The blocked ranges include the network's own NAT64 prefix.
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
    if (found.length > maxChecked) return { fault: faults.manyAddresses }
    const addresses = found.filter(({ address }) => !isBlocked(address) && !isSynthesised(address))
    const isRefused = !target.allowed && addresses.some(({ address }) => !isPublicAddress(address))
    if (isRefused || addresses.length === 0) return { fault: faults.notPublic }
    return { addresses: addresses.slice(0, maxAddresses) }
  } catch (error) {
    return { fault: resolveFault(error) }
  }
}
