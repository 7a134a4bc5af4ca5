import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The address of an Azure service that can be reached only from inside Azure, although the address is in a public
 * range.
 */
const azureHost = '168.63.129.16'

/**
 * The only block that IANA has assigned as global unicast (RFC 4291, 2.4). All other IPv6 addresses are special or
 * unassigned.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * The part of an IPv6 address that marks it as an ISATAP address (RFC 5214), in which the last 32 bits are an IPv4
 * address.
 */
const isatapId = 0x5efe

function isPublicV6(address: string): boolean {
  const parsed = ipaddr.IPv6.parse(address)
  const isatap = parsed.parts[5] === isatapId && (parsed.parts[4] === 0 || parsed.parts[4] === 0x200)
  return parsed.range() === 'unicast' && parsed.match(globalUnicast) && !isatap
}

/**
 * Whether `address` belongs to a host on the public internet. `address` must be in the form in which resolvers and
 * sockets return it. The result is false for addresses that are private, local, special or reserved, and for tunnels
 * into such ranges. It is also false for cloud metadata services, for addresses with a zone, and for strings that are
 * not addresses in their usual form, such as `0x7f.1` and `010.0.0.1`.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return address !== azureHost && ipaddr.IPv4.parse(address).range() === 'unicast'
  return family === 6 && !address.includes('%') && isPublicV6(address)
}

/** The well-known NAT64 prefix, into which DNS64 embeds a name's IPv4 addresses (RFC 6052). */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Whether `address` is an IPv6 address that DNS64 has derived from a public IPv4 address. Such an address can be
 * ignored, because the name also resolves to the IPv4 address. The result is false if `address` embeds a private IPv4
 * address, because DNS64 never produces such an address.
 */
export function isSynthesised(address: string): boolean {
  if (isIP(address) !== 6 || address.includes('%')) return false
  const parsed = ipaddr.IPv6.parse(address)
  return parsed.match(nat64) && isPublicAddress(ipaddr.fromByteArray(parsed.toByteArray().slice(12)).toString())
}
