import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * An address, IPv4 that is mapped into IPv6 as IPv4. Null for any other text, which a proxy may hand on as a caller made it up: the proxy's own
 * address in its place would pass for the caller's on the list of a key.
 */
export const clientAddress = (told: string | undefined): string | null =>
  told === undefined || isIP(told) === 0 ? null : ipaddr.process(told).toString()
