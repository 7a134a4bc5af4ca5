import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Answers only from inside Azure's network, yet lies in a range that anyone could own. */
const azureHost = '168.63.129.16'

/** The one block that IANA hands out as global unicast (RFC 4291, 2.4): all the rest of IPv6 is special or unassigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** The interface identifier of ISATAP (RFC 5214): an IPv4 address hidden in the last 32 bits of a public prefix. */
const isatapId = 0x5efe

function isPublicV6(address: string): boolean {
  const parsed = ipaddr.IPv6.parse(address)
  const isatap = parsed.parts[5] === isatapId && (parsed.parts[4] === 0 || parsed.parts[4] === 0x200)
  return parsed.range() === 'unicast' && parsed.match(globalUnicast) && !isatap
}

/**
 * Whether `address`, as a resolver or a socket writes it, is a host on the public internet. False for whatever is
 * private, local, special, reserved or a tunnel into such a range, for a cloud's metadata service, for an address with a
 * zone, and for anything that is not an address in its one usual form (`0x7f.1` and `010.0.0.1` are not).
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return address !== azureHost && ipaddr.IPv4.parse(address).range() === 'unicast'
    case 6:
      return !address.includes('%') && isPublicV6(address)
    default:
      return false
  }
}
