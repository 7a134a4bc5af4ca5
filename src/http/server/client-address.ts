import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether the proxy at this address is trusted. The connection's peer is hop 0. */
export type IsTrusted = (address: string, hop: number) => boolean

/**
 * Returns the client's address: the first one from the right that belongs to no trusted proxy. Whatever the client
 * itself has written in X-Forwarded-For is further to the left and ignored. If there is no such header, the peer
 * itself is the client. Returns null if a trusted proxy reports no valid address. The proxy's own address must not be
 * used instead, because it could be on a key's allowlist.
 */
export function clientAddress({ headers, socket }: IncomingMessage, isTrusted: IsTrusted): string | null {
  const reported = headers['x-forwarded-for']
  const left = reported === undefined ? [] : String(reported).split(',')
  let address = readAddress(socket.remoteAddress)
  for (let hop = 0; left.length > 0 && isTrusted(address ?? '', hop); hop += 1) address = readAddress(left.pop())
  return address
}

/**
 * Parses an address as sockets and proxies write it: in quotes or brackets, with a port or a zone. An IPv4-mapped IPv6
 * address becomes an IPv4 address. Returns null for anything else, such as `unknown`, `_hidden` and `unix:`.
 */
export function readAddress(written = ''): string | null {
  // This runs for every request, so plain IPv4 addresses, which are by far the most common, skip the parser.
  const plain = written.replace(/^\s*(?:::ffff:)?/, '')
  if (isIPv4(plain)) return plain
  const text = written.trim().replace(/^"(.*)"$/, '$1')
  const [, inBrackets, bare = ''] = /^(?:\[([^\]]*)\](?::\w*)?|(.*))$/.exec(text) ?? []
  const whole = withoutZone(inBrackets ?? bare)
  const address = isIP(whole) === 0 && inBrackets === undefined ? withoutZone(bare.replace(/:\w*$/, '')) : whole
  return isIP(address) === 0 ? null : ipaddr.process(address).toString()
}

const withoutZone = (address: string): string => address.replace(/%.*$/, '')
