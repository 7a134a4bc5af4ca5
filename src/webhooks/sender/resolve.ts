import type { LookupAddress } from 'node:dns'
import dns from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type SendFault, sendFaults, toResolveFault } from './faults.ts'

/** Azure's internal service. Its address is in a public range. */
const azureHost = '168.63.129.16'

/** The only global unicast block that IANA has assigned (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** In an ISATAP address (RFC 5214), an IPv4 address follows this. */
const isatapId = 0x5efe

function isPublicV6(address: string): boolean {
  const parsed = ipaddr.IPv6.parse(address)
  const isatap = parsed.parts[5] === isatapId && (parsed.parts[4] === 0 || parsed.parts[4] === 0x200)
  return parsed.range() === 'unicast' && parsed.match(globalUnicast) && !isatap
}

/** Returns false for special ranges and for notations such as `0x7f.1`. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return address !== azureHost && ipaddr.IPv4.parse(address).range() === 'unicast'
  return family === 6 && !address.includes('%') && isPublicV6(address)
}

/** DNS64 appends a name's IPv4 addresses to this prefix (RFC 6052). */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** DNS64 derives such an address from one of the name's IPv4 addresses. */
function isSynthesised(address: string): boolean {
  if (isIP(address) !== 6 || address.includes('%')) return false
  const parsed = ipaddr.IPv6.parse(address)
  return (
    parsed.match(nat64) && isPublicAddress(ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString())
  )
}

export type ResolveHost = (hostname: string) => Promise<LookupAddress[]>

/** Connecting to four addresses fits into an attempt's 30 s. */
const maxAddresses = 4

/** Checking 4,000 addresses would take 30 ms. */
const maxChecked = 100

/** Queries end within 6 s, early enough to report a dead name server. */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })

/** `dns.lookup` has four threads, so a dead server could block them all. */
async function queryNameServers(hostname: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  const found = (result: typeof four, family: number): LookupAddress[] =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []
  return [...found(four, 4), ...found(six, 6)]
}

/** Name servers may not know an allowed host such as `localhost`. */
const lookUp: ResolveHost = (hostname) => dns.lookup(hostname, { all: true })

export const chooseResolver = (allowed: boolean): ResolveHost => (allowed ? lookUp : queryNameServers)

function withinDeadline<T>(promise: Promise<T>, deadline: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const late = (): void => resolve(null)
    if (deadline.aborted) late()
    deadline.addEventListener('abort', late)
    promise.then(resolve, reject)
  })
}

export interface AddressLookup {
  resolve: ResolveHost
  isBlocked: (address: string) => boolean
}

/**
 * One non-public address is enough to refuse a name. Only our own network adds
 * blocked and DNS64 addresses, so these are skipped.
 */
export async function resolveAddresses(
  { resolve, isBlocked }: AddressLookup,
  target: { hostname: string; allowed: boolean },
  deadline: AbortSignal,
): Promise<{ addresses: LookupAddress[] } | { fault: SendFault }> {
  const family = isIP(target.hostname)
  const literal = [{ address: target.hostname, family }]
  try {
    const found = family ? literal : await withinDeadline(resolve(target.hostname), deadline)
    if (found === null) return { fault: sendFaults.lateName }
    if (found.length === 0) return { fault: sendFaults.noSuchName }
    if (found.length > maxChecked) return { fault: sendFaults.manyAddresses }
    const addresses = found.filter(({ address }) => !isBlocked(address) && !isSynthesised(address))
    const isRefused = !target.allowed && addresses.some(({ address }) => !isPublicAddress(address))
    if (isRefused || addresses.length === 0) return { fault: sendFaults.notPublic }
    return { addresses: addresses.slice(0, maxAddresses) }
  } catch (error) {
    return { fault: toResolveFault(error) }
  }
}
