import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Normalises an address: IPv4 mapped into IPv6 becomes IPv4. Returns null for any other text, which a proxy may pass on
 * from the caller. The proxy's own address must not stand in for it, because it could be on the allowlist of a key.
 */
export function clientAddress(address: string | undefined): string | null {
  if (address === undefined) return null
  // Nearly all addresses are IPv4, which needs no parser. This runs for each request.
  const plain = address.startsWith(mapped) ? address.slice(mapped.length) : address
  if (isIPv4(plain)) return plain
  return isIP(address) === 0 ? null : ipaddr.process(address).toString()
}

/** The prefix of an IPv4 address on a socket that accepts both IPv4 and IPv6. */
const mapped = '::ffff:'
