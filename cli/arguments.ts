import { parseArgs } from 'node:util'
import {
  areHeadersWithin,
  headerNameFault,
  isHeaderValue,
  maxCustomHeaders,
  maxHeaderCharacters,
  maxHeaderName,
  maxHeaderValue,
} from '../schemas/custom-header.ts'
import { type EventName, eventScopes } from '../schemas/events.ts'

const EXAMPLE_URL = 'http://localhost:3000'
const MAX_REPLAYED = 100

export interface ListenCommand {
  name: 'listen'
  /** The API's URL, without a trailing slash. */
  url: string
  /** Where to forward events. If null, they are only shown. */
  forward: string | null
  /** Part of the webhook header names. If null, `listen` asks the service. */
  headerBrand: string | null
  /** Sent with each event, like the custom headers of an endpoint. */
  headers: Record<string, string>
  /** Accepts any certificate of a server on this machine. */
  insecure: boolean
  /** Shows only these events, or all if empty. */
  types: readonly EventName[]
  replayLast: number
  json: boolean
}

export type CliCommand =
  | { name: 'help' }
  | { name: 'version' }
  | { name: 'secret' }
  | { name: 'trigger'; url: string; event: string; given: Overrides }
  | ListenCommand

const overrides = {
  amount: { type: 'string' },
  label: { type: 'string' },
  reference: { type: 'string' },
  metadata: { type: 'string', multiple: true },
  phone: { type: 'string' },
  'refund-amount': { type: 'string' },
  reason: { type: 'string' },
} as const
export type OverrideName = keyof typeof overrides
/** What `trigger` should use in place of its own test data. */
export type Overrides = { [Name in OverrideName]?: Name extends 'metadata' ? string[] : string }

const options = {
  ...overrides,
  forward: { type: 'string' },
  header: { type: 'string', multiple: true },
  insecure: { type: 'boolean' },
  events: { type: 'string' },
  'replay-last': { type: 'string' },
  json: { type: 'boolean' },
  'base-url': { type: 'string' },
  'header-brand': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

/**
 * Returns the command that the arguments describe. `defaultUrl` is the address of the service if none is given.
 * @throws {Error} with the remedy if the arguments are wrong or contain a key
 */
export function readArguments(
  words: string[],
  env: NodeJS.ProcessEnv,
  defaultUrl: string | null,
): CliCommand {
  refuseKey(words)
  const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true })
  const [name, event, ...rest] = positionals
  if (values.help || name === 'help' || (name === undefined && !values.version)) return { name: 'help' }
  if (values.version) return { name: 'version' }
  if (name === 'secret') return { name }
  const address = values['base-url'] || env.PAYMENTS_API_URL || defaultUrl || EXAMPLE_URL
  const url = urlOf('The address of the service', address)
  const given = Object.entries(values).filter(([option]) => Object.hasOwn(overrides, option))
  if (name === 'trigger' && rest.length === 0)
    return { name, url: apiUrl(url), event: event ?? '', given: Object.fromEntries(given) }
  if (name !== 'listen' || event !== undefined)
    throw new Error(`There is no command ${JSON.stringify(positionals.join(' '))}. See --help.`)
  if (given[0] !== undefined) throw new Error(`--${given[0][0]} is an option of trigger, not of listen.`)
  const forward = values.forward === undefined ? null : urlOf('The --forward URL', values.forward)
  const headerBrand = brandOf(values['header-brand'])
  const headers = headersOf(values.header ?? [], headerBrand ?? '')
  if (forward === null && (values.insecure || values.header))
    throw new Error('--header and --insecure need --forward.')
  if (values.insecure && !(forward?.protocol === 'https:' && isLoopback(forward.hostname)))
    throw new Error(
      '--insecure works only if --forward is an https URL on this machine, such as https://localhost:8443.',
    )
  return {
    name,
    url: apiUrl(url),
    forward: forward?.href ?? null,
    headerBrand,
    headers,
    insecure: values.insecure ?? false,
    types: typesOf(values.events),
    replayLast: countOf(values['replay-last']),
    json: values.json ?? false,
  }
}

/** Runs before the arguments are parsed, because a parser's error could repeat the key. */
function refuseKey(words: string[]): void {
  if (words.some((word) => /[sp]k_(test|live)_/.test(word)))
    throw new Error(
      'An API key is among the arguments, so it is now in your shell history, and other users of this machine ' +
        'could see it. Set PAYMENTS_API_KEY instead, or start the command without a key and enter it at the prompt.',
    )
  if (words.some((word) => /^--?(api-?)?key\b/.test(word)))
    throw new Error(
      'Keys are not accepted as arguments. Set PAYMENTS_API_KEY, or enter the key at the prompt.',
    )
}

function urlOf(what: string, text: string): URL {
  let url: URL | undefined
  try {
    url = new URL(text)
  } catch {
    // The error below is clearer.
  }
  // The URL is shown, and a process list shows it too.
  if (url !== undefined && (url.username || url.password))
    throw new Error(
      `${what} must not contain a user name or password.${what === '--forward' ? ' To send one, use --header.' : ''}`,
    )
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url
  throw new Error(`${what} must begin with http:// or https://, such as ${EXAMPLE_URL}.`)
}

/** These names and addresses never leave the machine. */
export const isLoopback = (hostname: string): boolean =>
  /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/** Refuses what the service refuses for an endpoint. */
function headersOf(texts: string[], brand: string): Record<string, string> {
  const pairs = texts.map((text) => {
    const [, name = '', value = ''] = /^([^:]*):\s*(.*?)\s*$/s.exec(text) ?? []
    const fault = headerNameFault(name, brand)
    if (fault !== null)
      throw new Error(`--header must be 'Name: value', and ${JSON.stringify(name)} ${fault}.`)
    if (!isHeaderValue(value) || value.length > maxHeaderValue || name.length > maxHeaderName)
      throw new Error(
        `--header ${name} is too long, or its value isn't visible ASCII. A name can have ${maxHeaderName} characters, and a value ${maxHeaderValue}.`,
      )
    return [name, value] as const
  })
  const headers = Object.fromEntries(pairs)
  const isDistinct = Object.keys(headers).length === pairs.length
  if (isDistinct && pairs.length <= maxCustomHeaders && areHeadersWithin(maxHeaderCharacters, headers))
    return headers
  throw new Error(
    `There can be ${maxCustomHeaders} headers of ${maxHeaderCharacters} characters in all, each name only once.`,
  )
}

/** Appends the API's path to a service's address, such as http://localhost:3000. */
const apiUrl = ({ origin, pathname }: URL): string =>
  origin + (pathname === '/' ? '/api/v1' : pathname.replace(/\/+$/, ''))

function typesOf(text: string | undefined): EventName[] {
  if (text === undefined) return []
  const known = Object.keys(eventScopes) as EventName[]
  return text.split(',').map((word) => {
    const found = known.find((name) => name === word.trim())
    if (found !== undefined) return found
    throw new Error(`There is no event ${JSON.stringify(word)}. The events are ${known.join(', ')}.`)
  })
}

function brandOf(text: string | undefined): string | null {
  if (text === undefined || /^[A-Za-z][A-Za-z0-9]{0,30}$/.test(text)) return text ?? null
  throw new Error('--header-brand must be 1 to 31 letters and digits, and begin with a letter.')
}

function countOf(text: string | undefined): number {
  if (text === undefined) return 0
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= MAX_REPLAYED) return count
  throw new Error(`--replay-last must be a whole number from 1 to ${MAX_REPLAYED}.`)
}
