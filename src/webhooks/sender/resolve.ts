import dns from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Fault, faults, resolveFault } from './faults.ts'

/**
 * The address of an Azure service that can be reached only from inside Azure, although the address is in a public
 * range.
 */
const azureHost = '168.63.129.16'

/**
 * The only block that IANA has assigned as global unicast (RFC 4291, 2.4). All other IPv6 addresses are special or
 * unassigned.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * The part of an IPv6 address that marks it as an ISATAP address (RFC 5214), in which the last 32 bits are an IPv4
 * address.
 */
const isatapId = 0x5efe

function isPublicV6(address: string): boolean {
  const parsed = ipaddr.IPv6.parse(address)
  const isatap = parsed.parts[5] === isatapId && (parsed.parts[4] === 0 || parsed.parts[4] === 0x200)
  return parsed.range() === 'unicast' && parsed.match(globalUnicast) && !isatap
}

/**
 * Whether `address` belongs to a host on the public internet. `address` must be in the form in which resolvers and
 * sockets return it. The result is false for addresses that are private, local, special or reserved, and for tunnels
 * into such ranges. It is also false for cloud metadata services, for addresses with a zone, and for strings that are
 * not addresses in their usual form, such as `0x7f.1` and `010.0.0.1`.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return address !== azureHost && ipaddr.IPv4.parse(address).range() === 'unicast'
  return family === 6 && !address.includes('%') && isPublicV6(address)
}

/** The well-known NAT64 prefix, into which DNS64 embeds a name's IPv4 addresses (RFC 6052). */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Whether `address` is an IPv6 address that DNS64 has derived from a public IPv4 address. Such an address can be
 * ignored, because the name also resolves to the IPv4 address. The result is false if `address` embeds a private IPv4
 * address, because DNS64 never produces such an address.
 */
export function isSynthesised(address: string): boolean {
  if (isIP(address) !== 6 || address.includes('%')) return false
  const parsed = ipaddr.IPv6.parse(address)
  return parsed.match(nat64) && isPublicAddress(ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString())
}

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
