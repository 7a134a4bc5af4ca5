import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { queueNames } from '../../schemas/jobs.ts'
import { parseIpRange } from '../platform/network.ts'
import { orNull } from '../platform/or-null.ts'
import { parseUrl } from '../platform/url.ts'
import { findWeakOptions, hasDatabaseName, isMongoUrl } from './mongo-url.ts'
import { parseRedisUrl } from './redis-url.ts'

const blocks = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Takes PEM, base64 of PEM, or a file path. Null if any part is invalid. */
export function readCertificates(text: string): string | null {
  const found = pemOf(text)?.match(blocks) ?? []
  return found.length > 0 && found.every(isCertificate) ? found.join('\n') : null
}

function pemOf(text: string): string | null {
  for (const pem of [text.replaceAll('\\n', '\n'), Buffer.from(text, 'base64').toString('latin1')])
    if (pem.includes('-----BEGIN')) return pem
  return orNull(() => readFileSync(text, 'latin1'))
}

const isCertificate = (pem: string) => orNull(() => new X509Certificate(pem)) !== null

export const splitAtCommas = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

export const ipRangeOrNull = (part: string) => orNull(() => parseIpRange(part))

/** Express rejects `/0`. */
export function parseProxyTrust(text: string): number | readonly string[] | null {
  if (/^\d{1,2}$/.test(text)) return Number(text)
  const ranges = splitAtCommas(text).map((part) => {
    const range = ipRangeOrNull(part)
    return range !== null && range[1] > 0 ? `${range[0].toString()}/${range[1]}` : null
  })
  return ranges.every((range) => range !== null) ? ranges : null
}

const mailto = /^mailto:[\w.+-]+@[\w-]+(\.[\w-]+)+$/

const isContact = (part: string): boolean =>
  mailto.test(part) || (/^https:\/\/[!-~]+$/.test(part) && parseUrl(part)?.username === '')

export function parseProxyUrl(text: string) {
  if (!/^http:\/\/[^\s/?#]+:\d{1,5}\/?$/.test(text)) return null
  return orNull(() => {
    const { hostname, port, username, password } = new URL(text)
    const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
    const headers: Record<string, string> =
      login.length > 1 ? { 'Proxy-Authorization': `Basic ${login.toString('base64')}` } : {}
    return { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 80), headers }
  })
}

/** `hint` never quotes a secret. */
interface Format {
  validate: (text: string) => boolean
  hint: (text: string) => string
}

const everyOf = (test: (part: string) => boolean) => (text: string) => splitAtCommas(text).every(test)

const isRange = (part: string): boolean => ipRangeOrNull(part) !== null

export const envFormats: Record<string, Format> = {
  'http-origin': {
    validate: (text) => /^https?:\/\/[^/?#\s@]+$/.test(text) && parseUrl(text) !== null,
    hint: () => 'must be http(s)://host[:port] without a path',
  },
  'http-url': {
    validate: (text) => /^https?:\/\/[^?#\s@]+$/.test(text) && parseUrl(text) !== null,
    hint: () => 'must be http(s)://host[:port][/path]',
  },
  'http-url-with-query': {
    validate: (text) => /^https?:\/\/[^/?#\s@]+([/?][^#\s\\]*)?$/.test(text) && parseUrl(text) !== null,
    hint: () => 'must be http(s)://host[:port][/path][?query]',
  },
  'mongodb-url': {
    validate: (text) => isMongoUrl(text) && hasDatabaseName(text) && findWeakOptions(text).length === 0,
    hint(text) {
      const weakening = findWeakOptions(text)
      if (weakening.length > 0)
        return `must not lower the write concern, read concern or read preference: remove ${weakening.join(', ')}`
      return isMongoUrl(text)
        ? 'must contain a database name, as in mongodb://host/payment_intents'
        : 'must be a mongodb:// URL that the driver can parse'
    },
  },
  'redis-url': {
    validate: (text) => parseRedisUrl(text) !== null,
    hint: () =>
      'must be redis(s)://host[:port][/db], redis(s)+sentinel://host[:port],host[:port]/name or redis(s)+cluster://host[:port],host[:port]',
  },
  certificates: {
    validate: (text) => readCertificates(text) !== null,
    hint: () => 'must be PEM certificates (with line breaks or \\n, or in base64) or the path of a PEM file',
  },
  'key-of-32-bytes': {
    // Decoding skips invalid characters, so two strings could give one key.
    validate: (text) => /^[A-Za-z0-9+/]{43}=$/.test(text),
    hint: () => 'must be 32 bytes in base64 (openssl rand -base64 32)',
  },
  'bearer-token': {
    validate: (text) => /^[\w.~+/=-]{16,512}$/.test(text),
    hint: () => 'must be 16 to 512 letters, digits or -._~+/= characters (openssl rand -hex 32)',
  },
  'queue-list': {
    validate: everyOf((part) => (queueNames as readonly string[]).includes(part)),
    hint: () => `must be a comma-separated list of: ${queueNames.join(', ')}`,
  },
  'host-port-list': {
    validate: everyOf((part) => /^[^\s/:@]+:\d{1,5}$|^\[[\da-f:.]+\]:\d{1,5}$/i.test(part)),
    hint: () => 'must be a comma-separated list of host:port',
  },
  'contact-list': {
    validate: everyOf(isContact),
    hint: () => 'must be a comma-separated list of mailto: and https: URLs',
  },
  'proxy-url': {
    validate: (text) => parseProxyUrl(text) !== null,
    hint: () => 'must be http://[user:password@]host:port, with special characters percent-encoded',
  },
  'range-list': {
    validate: everyOf(isRange),
    hint: (text) =>
      `must be a comma-separated list of addresses and CIDRs: remove ${splitAtCommas(text)
        .filter((part) => !isRange(part))
        .join(', ')}`,
  },
  'proxy-trust': {
    validate: (text) => parseProxyTrust(text) !== null,
    hint: () => 'must be a number of hops or a comma-separated list of addresses and CIDRs',
  },
}
