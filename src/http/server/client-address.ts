import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * An address, IPv4 that is mapped into IPv6 as IPv4. Null for any other text, which a proxy may hand on as a caller made it up: the proxy's own
 * address in its place would pass for the caller's on the list of a key.
 */
export function clientAddress(told: string | undefined): string | null {
  if (told === undefined) return null
  // Nearly all are IPv4, mapped or plain, whose one form needs no parser; each request is asked.
  const plain = told.startsWith(mapped) ? told.slice(mapped.length) : told
  if (isIPv4(plain)) return plain
  return isIP(told) === 0 ? null : ipaddr.process(told).toString()
}

/** How a socket that listens for both kinds writes an IPv4 address. */
const mapped = '::ffff:'
