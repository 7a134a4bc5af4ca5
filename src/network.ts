import ipaddr from 'ipaddr.js'

/** One household or office: an IPv4 address, or the 64 bits of an IPv6 one within which anybody may choose. */
export function networkOf(ip: string): string {
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
