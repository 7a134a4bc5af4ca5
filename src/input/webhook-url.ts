import { isIP } from 'node:net'
import { parseUrl } from '../platform/url.ts'
import { isLongerThan } from './name.ts'

const maxLength = 2048

/** RFC 1035 */
const maxNameLength = 253

/** Public DNS doesn't have these (RFC 6761, 6762, 7686, 8375 and 9476). */
export const privateSuffixes: ReadonlySet<string> = new Set(
  'alt arpa corp home internal intranet invalid lan local localdomain localhost onion private test'.split(
    ' ',
  ),
)

const labelShape = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const lastLabel = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/

/** The URL parser would drop or replace the excluded characters. */
const absolute = /^https?:\/\/[^\s\\/?#\p{Cc}][^\s\\\p{Cc}]*$/iu

export type JudgedUrl = { url: URL; allowed: boolean } | { fault: string }

export function portOfUrl(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

export const hasUserInfo = (input: string): boolean => /^https?:\/\/[^/?#]*@/i.test(input)

/** Like the sender's parser, reads `0x7f.1` as 127.0.0.1. */
export const readAbsoluteUrl = (input: string): URL | null =>
  isLongerThan(input, maxLength) || !input.isWellFormed() || !absolute.test(input) ? null : parseUrl(input)

function parse(input: string): URL | null {
  const url = readAbsoluteUrl(input)
  if (url === null) return null
  if (input.includes('#')) url.hash = ''
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  return url
}

function isPublicName(hostname: string): boolean {
  const labels = hostname.split('.')
  const last = labels.at(-1) ?? ''
  return (
    labels.length > 1 &&
    hostname.length <= maxNameLength &&
    labels.every((label) => labelShape.test(label)) &&
    lastLabel.test(last) &&
    !privateSuffixes.has(last)
  )
}

function publicFault(url: URL): string | null {
  const { hostname } = url
  const port = portOfUrl(url)
  if (url.protocol !== 'https:')
    return 'The URL must begin with https://. For your own machine, use the command line (/docs/clients).'
  if (hostname.startsWith('[') || isIP(hostname) !== 0)
    return 'The URL must have a host name, not an IP address.'
  if (!isPublicName(hostname)) return 'The URL must have a public host name.'
  if (port !== 443 && port < 1024) return "The URL's port must be 443, or 1024 or above."
  return null
}

/** The sender checks the URL again, because the rules may have changed. */
export function judgeWebhookUrl(input: string, allowedHosts: ReadonlySet<string>): JudgedUrl {
  const url = parse(input)
  if (url === null || url.href.length > maxLength)
    return { fault: `The URL must be absolute, contain no spaces, and have at most ${maxLength} characters.` }
  if (hasUserInfo(input)) return { fault: 'The URL must not have a user name or password.' }
  if (allowedHosts.has(`${url.hostname}:${portOfUrl(url)}`)) return { url, allowed: true }
  const fault = publicFault(url)
  return fault === null ? { url, allowed: false } : { fault }
}

export const toStoredUrl = (input: string): string => parse(input)?.href ?? input
