import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

interface NetworkPrefix {
  range: string
  /** Multiplies the limit on failures. */
  share: number
}

/**
 * Prefixes that one party may own: an IPv6 customer has a /64 or /48, a
 * provider a /40 or /32, and an IPv4 carrier a /16. A larger prefix has at
 * least three times the share, so one party can't use it up for the others.
 */
const sizes = {
  ipv4: { bits: [32, 24, 16], shares: [1, 10, 100] },
  ipv6: { bits: [64, 48, 40, 32], shares: [1, 10, 30, 100] },
} as const

/** Many requests share a connection, and an entry takes only 400 bytes. */
const maxKnown = 1000
const known = new Map<string, readonly NetworkPrefix[]>()

/** Returns the smallest prefix first, and no prefix for an unknown address. */
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

/** The network of a household or office. */
export const networkOfIp = (ip: string): string => ipPrefixesOf(ip)[0]?.range ?? 'unknown'

export type IpRange = [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

export function parseIpRange(entry: string): IpRange {
  // ipaddr would accept `10.1` and `010.0.0.1` as other addresses.
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

export function isIpRange(entry: string): boolean {
  try {
    return parseIpRange(entry).length > 0
  } catch {
    return false
  }
}

export const isIpWithin = (ranges: readonly IpRange[], address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return ranges.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
}
