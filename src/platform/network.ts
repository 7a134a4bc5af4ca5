import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Its limit on failures is a single network's limit times `share`. */
export interface Prefix {
  range: string
  share: number
}

/**
 * The sizes of prefix that one party may have. An IPv6 customer gets a /64 or a /48, and anyone can get a /48 for free.
 * A provider's region typically has a /40, a whole provider a /32. An IPv4 /24 is the smallest routed range, and a /16
 * belongs to a carrier or hosting company. Each share is at least three times the one before, so that a party that uses
 * up one prefix leaves most of the next larger one to its neighbours.
 */
const sizes = {
  ipv4: [
    { bits: 32, share: 1 },
    { bits: 24, share: 10 },
    { bits: 16, share: 100 },
  ],
  ipv6: [
    { bits: 64, share: 1 },
    { bits: 48, share: 10 },
    { bits: 40, share: 30 },
    { bits: 32, share: 100 },
  ],
} as const

/** An address takes about 400 bytes. Many requests come over the same connection, hence the cache. */
const maxKnown = 1000
const known = new Map<string, readonly Prefix[]>()

/** Smallest first. None if no proxy reported the address: one visitor could then lock out all others. */
export function prefixesOf(ip: string): readonly Prefix[] {
  const found = known.get(ip)
  if (found !== undefined) return found
  if (!ipaddr.isValid(ip)) return []
  const prefixes = computePrefixes(ip)
  if (known.size === maxKnown) known.clear()
  known.set(ip, prefixes)
  return prefixes
}

function computePrefixes(ip: string): Prefix[] {
  const address = ipaddr.process(ip)
  return sizes[address.kind()].map(({ bits, share }) => ({ range: rangeOf(address, bits), share }))
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const family = address instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4
  return `${family.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`
}

/** The network of one household or office: an IPv4 address, or an IPv6 /64. */
export const networkOf = (ip: string): string => prefixesOf(ip)[0]?.range ?? 'unknown'

export type Range = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Maps `::ffff:a.b.c.d/n` to IPv4. Throws if `entry` is neither an address nor a CIDR range. */
export function parseRange(entry: string): Range {
  // ipaddr also accepts `10.1` and `010.0.0.1`, but reads them as addresses that the author didn't mean.
  const [address = '', bits = '0'] = entry.split('/')
  if (isIP(address) === 0 || !/^(0|[1-9]\d{0,2})$/.test(bits))
    throw new Error(`${entry} is neither an IP address nor a CIDR range`)
  if (!entry.includes('/')) {
    const single = ipaddr.process(entry)
    return [single, single.kind() === 'ipv4' ? 32 : 128]
  }
  const [network, length] = ipaddr.parseCIDR(entry)
  if (network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && length >= 96)
    return [network.toIPv4Address(), length - 96]
  return [network, length]
}

/** Returns false if `address` isn't an address at all. */
export const isWithin = (ranges: readonly Range[], address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
}
