import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** One household or office: an IPv4 address, or the 64 bits of an IPv6 one within which anybody may choose. */
export function networkOf(ip: string): string {
  if (isIPv4(ip)) return ip
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? firstOf(address, 4) : address.toString()
}

/** The 48 bits of an IPv6 address that one customer of a provider may have; null of any other. */
export function siteOf(ip: string): string | null {
  if (!ipaddr.isValid(ip)) return null
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? firstOf(address, 3) : null
}

const firstOf = ({ parts }: ipaddr.IPv6, count: number): string => parts.slice(0, count).join(':')

/** An address or CIDR as network and prefix length; `::ffff:a.b.c.d/n` as IPv4. Throws on anything else. */
export function parseRange(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  // ipaddr reads `10.1` and `010.0.0.1` too, as addresses that nobody meant.
  const [address = '', bits = '0'] = entry.split('/')
  if (isIP(address) === 0 || !/^(0|[1-9]\d{0,2})$/.test(bits))
    throw new Error(`${entry} is no address and no CIDR`)
  if (!entry.includes('/')) {
    const single = ipaddr.process(entry)
    return [single, single.kind() === 'ipv4' ? 32 : 128]
  }
  const [network, length] = ipaddr.parseCIDR(entry)
  if (network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && length >= 96)
    return [network.toIPv4Address(), length - 96]
  return [network, length]
}
