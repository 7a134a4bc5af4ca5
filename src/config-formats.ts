import ipaddr from 'ipaddr.js'
import { mongo } from 'mongoose'
import { queueNames } from './jobs.ts'
import { parseUrl } from './parse-url.ts'

/** A form that a variable of the environment may have, and how it is said when it has another: the text itself may be a secret. */
interface Format {
  validate: (text: string) => boolean
  hint: (text: string) => string
}

/** The parts of a comma-separated list; blank ones do not count. */
export const list = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const everyOf = (test: (part: string) => boolean) => (text: string) => list(text).every(test)

export const formats: Record<string, Format> = {
  'http-origin': {
    validate: (text) => /^https?:\/\/[^/?#\s]+$/.test(text) && parseUrl(text) !== null,
    hint: () => 'must be http(s)://host[:port] without a path',
  },
  'http-url': {
    validate: (text) => /^https?:\/\/[^?#\s@]+$/.test(text) && parseUrl(text) !== null,
    hint: () => 'must be http(s)://host[:port][/path]',
  },
  'mongodb-url': {
    validate: (text) => isMongoUrl(text) && weakerThanPromised(text) === null,
    hint: (text) =>
      isMongoUrl(text)
        ? `must not lower the write concern, read concern or read preference: take out ${weakerThanPromised(text)}`
        : 'must be a mongodb:// URL that the driver can read',
  },
  'key-of-32-bytes': {
    validate: (text) => Buffer.from(text, 'base64').length === 32,
    hint: () => 'must be 32 bytes in base64 (openssl rand -base64 32)',
  },
  'queue-list': {
    validate: everyOf((part) => (queueNames as readonly string[]).includes(part)),
    hint: () => `must be a comma-separated list of: ${queueNames.join(', ')}`,
  },
  'host-port-list': {
    validate: everyOf((part) => /^[^\s/:@]+:\d{1,5}$|^\[[\da-f:.]+\]:\d{1,5}$/i.test(part)),
    hint: () => 'must be a comma-separated list of host:port',
  },
  'proxy-trust': {
    validate: (text) =>
      /^\d{1,2}$/.test(text) || list(text).every((part) => ipaddr.isValid(part) || ipaddr.isValidCIDR(part)),
    hint: () => 'must be a number of hops or a comma-separated list of addresses and CIDRs',
  },
}

/** Whether the driver can read it; making a client connects to nothing. */
function isMongoUrl(text: string): boolean {
  try {
    const client = new mongo.MongoClient(text)
    return client.options.hosts.length > 0 || client.options.srvHost !== undefined
  } catch {
    return false
  }
}

/** The options of a MongoDB URL by which one could ask for less, with all that they may be. */
const strongEnough: Record<string, readonly string[]> = {
  w: ['majority'],
  writeconcern: ['majority'],
  journal: ['true'],
  j: ['true'],
  fsync: ['true'],
  readconcern: ['majority', 'linearizable'],
  readconcernlevel: ['majority', 'linearizable'],
  readpreference: ['primary'],
}

/** The option of a MongoDB URL that asks for less than the service promises, or null (docs/architecture.md). */
function weakerThanPromised(url: string): string | null {
  const options = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  for (const [name, value] of url.includes('?') ? options : []) {
    const option = name.toLowerCase()
    const allowed = strongEnough[option]
    if (allowed !== undefined && !allowed.includes(value)) return option
  }
  return null
}
