import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Normalises an IP address: an IPv4-mapped IPv6 address becomes an IPv4 address. Returns null for text that is not an
 * address, because a proxy may forward such text from the client. The proxy's own address must not be used instead,
 * because it could be on a key's allowlist.
 */
export function clientAddress(address: string | undefined): string | null {
  if (address === undefined) return null
  // This function runs for every request, so IPv4 addresses, which are by far the most common, skip the parser.
  const plain = address.startsWith(mapped) ? address.slice(mapped.length) : address
  if (isIPv4(plain)) return plain
  return isIP(address) === 0 ? null : ipaddr.process(address).toString()
}

/** The prefix of an IPv4 address on a socket that accepts both IPv4 and IPv6. */
const mapped = '::ffff:'
