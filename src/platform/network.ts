import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

interface NetworkPrefix {
  range: string
  /** Multiplies a network's limit on failures. */
  share: number
}

/**
 * Prefixes that one party may own. An IPv6 customer gets a /64 or /48, a provider's region typically a /40,
 * a provider a /32; an IPv4 carrier has a /16. Each share is at least three times the previous one, so a
 * party that uses up its prefix leaves most of the next larger one to its neighbours.
 */
const sizes = {
  ipv4: { bits: [32, 24, 16], shares: [1, 10, 100] },
  ipv6: { bits: [64, 48, 40, 32], shares: [1, 10, 30, 100] },
} as const

/** Cached because many requests share a connection. An entry takes about 400 bytes. */
const maxKnown = 1000
const known = new Map<string, readonly NetworkPrefix[]>()

/** Sorted from small to large. Unknown addresses have none, or one visitor could lock out all the others. */
export function ipPrefixesOf(ip: string): readonly NetworkPrefix[] {
  const found = known.get(ip)
  if (found !== undefined) return found
  if (!ipaddr.isValid(ip)) return []
  const address = ipaddr.process(ip)
  const { bits, shares } = sizes[address.kind()]
  const prefixes = bits.map((each, index) => ({ range: rangeOf(address, each), share: shares[index] ?? 1 }))
  if (known.size === maxKnown) known.clear()
  known.set(ip, prefixes)
  return prefixes
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const family = address instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4
  return `${family.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`
}

/** One household's or office's network: an IPv4 address, or an IPv6 /64. */
export const networkOfIp = (ip: string): string => ipPrefixesOf(ip)[0]?.range ?? 'unknown'

export type IpRange = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Maps `::ffff:a.b.c.d/n` to IPv4. Throws if `entry` is neither an address nor a CIDR range. */
export function parseIpRange(entry: string): IpRange {
  // ipaddr would read `10.1` and `010.0.0.1` as addresses that the author didn't mean.
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

export const isIpWithin = (ranges: readonly IpRange[], address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
}
