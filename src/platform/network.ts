import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** A range that contains an address. Its limit on failed attempts is a single network's limit multiplied by `share`. */
export interface Prefix {
  range: string
  share: number
}

/**
 * The prefix sizes that one party may hold, each with its share. An IPv6 customer gets a /64 or a /48, and anyone can
 * get a /48 for free. A provider's region typically has a /40, and a whole provider has a /32. An IPv4 /24 is the
 * smallest routed range, and a /16 belongs to a carrier or a hosting company. Each share is at least three times the
 * next smaller share. Therefore, a party that uses up one prefix's budget leaves most of the next larger prefix's
 * budget to its neighbours.
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

/**
 * The maximum number of addresses in the cache. Each address takes about 400 bytes. The cache helps because every
 * request needs the prefixes of its address, and many requests arrive on the same connection.
 */
const maxKnown = 1000
const known = new Map<string, readonly Prefix[]>()

/**
 * Returns the prefixes that contain an address, smallest first. An address that no proxy has reported has none, because
 * a limit that all of its visitors shared would let one of them lock out the others.
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

/** Returns the network of a single household or office: an IPv4 address, or the first 64 bits of an IPv6 address. */
export const networkOf = (ip: string): string => prefixesOf(ip)[0]?.range ?? 'unknown'

/** A network with its prefix length in bits. */
export type Range = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Parses an IP address or a CIDR range, and maps `::ffff:a.b.c.d/n` to IPv4. Throws if the string is neither. */
export function parseRange(entry: string): Range {
  // ipaddr also accepts `10.1` and `010.0.0.1`, but would interpret them as addresses that the author did not mean.
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

/** Whether `address` is in one of the ranges. The result is false if the string is not an address at all. */
export const isWithin = (ranges: readonly Range[], address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
}
