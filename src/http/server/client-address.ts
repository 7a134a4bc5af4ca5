import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether we trust the proxy at this address. The connection's peer is hop 0. */
export type IsTrusted = (address: string, hop: number) => boolean

/**
 * The first address from the right that belongs to no trusted proxy. Whatever the client itself writes into
 * X-Forwarded-For is further to the left and ignored. Without the header, the peer is the client. Null if a trusted
 * proxy reports no valid address: its own must not be used instead, because it could be on a key's allowlist.
 */
export function clientAddress({ headers, socket }: IncomingMessage, isTrusted: IsTrusted): string | null {
  const reported = headers['x-forwarded-for']
  const left = reported === undefined ? [] : String(reported).split(',')
  let address = readAddress(socket.remoteAddress)
  for (let hop = 0; left.length > 0 && isTrusted(address ?? '', hop); hop += 1) address = readAddress(left.pop())
  return address
}

/**
 * Sockets and proxies write addresses in quotes or brackets, with a port or a zone. IPv4-mapped IPv6 becomes IPv4. Null
 * for anything else, such as `unknown`, `_hidden` and `unix:`.
 */
export function readAddress(written = ''): string | null {
  // This runs for every request, so plain IPv4 addresses, by far the most common, skip the parser.
  const plain = written.replace(/^\s*(?:::ffff:)?/, '')
  if (isIPv4(plain)) return plain
  const text = written.trim().replace(/^"(.*)"$/, '$1')
  const [, inBrackets, bare = ''] = /^(?:\[([^\]]*)\](?::\w*)?|(.*))$/.exec(text) ?? []
  const whole = withoutZone(inBrackets ?? bare)
  const address = isIP(whole) === 0 && inBrackets === undefined ? withoutZone(bare.replace(/:\w*$/, '')) : whole
  return isIP(address) === 0 ? null : ipaddr.process(address).toString()
}

const withoutZone = (address: string): string => address.replace(/%.*$/, '')
