import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** `share`: by how much a single network's limit on failures is multiplied. */
export interface Prefix {
  range: string
  share: number
}

/**
 * Prefixes that one party may have. An IPv6 customer gets a /64 or /48, and a /48 is free for anyone; a provider's
 * region has a /40, a provider a /32. An IPv4 /24 is the smallest routed range, and a /16 a carrier or hosting company.
 * Each share is at least three times the one below, so a party that uses up one prefix leaves most of the next to its
 * neighbours.
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

/** About 400 bytes each. Every request needs its address's prefixes, and many come over the same connection. */
const maxKnown = 1000
const known = new Map<string, readonly Prefix[]>()

/**
 * Smallest first. None for an address that no proxy reported: all visitors would share its limit, so one could lock out
 * the others.
 */
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

/** A household or office: an IPv4 address, or an IPv6 /64. */
export const networkOf = (ip: string): string => prefixesOf(ip)[0]?.range ?? 'unknown'

export type Range = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Maps `::ffff:a.b.c.d/n` to IPv4. Throws if it's neither an address nor a CIDR range. */
export function parseRange(entry: string): Range {
  // ipaddr also accepts `10.1` and `010.0.0.1`, but as addresses that the author didn't mean.
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

/** False if `address` isn't one. */
export const isWithin = (ranges: readonly Range[], address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
}
