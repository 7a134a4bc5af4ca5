import { InvalidArgumentError, Option } from 'commander'
import { type EventName, events } from '../../../schemas/events.ts'
import { scopes } from '../../../schemas/scopes.ts'
import { maxReasonLength, readReason } from '../../audit/acts.ts'
import { readInstant } from '../../input/instant.ts'
import { isLonger, type NameKind, readName } from '../../input/name.ts'
import { readPhone, readPin, readWalletPhone } from '../../input/phone.ts'
import { parseRange } from '../../platform/network.ts'

/** Rejects with `message` what `read` doesn't accept. */
export const parserFor =
  <Value>(read: (text: string) => Value | null | undefined, message: string) =>
  (text: string): Value => {
    const value = read(text)
    if (value === null || value === undefined) throw new InvalidArgumentError(message)
    return value
  }

export const choice = <Choice extends string>(...choices: Choice[]) =>
  parserFor((text) => choices.find((each) => each === text), `Must be ${choices.join(' or ')}.`)

const typed = (kind: NameKind, maxLength: number) =>
  parserFor((text) => {
    const name = readName(kind, text)
    return name === null || isLonger(name, maxLength) ? null : name
  }, `Must be 1 to ${maxLength} printable characters.`)

/** Of a business or shop, or a part of it. */
export const businessName = typed('name', 200)
export const payoutReference = typed('reference', 64)

/** The audit trail shows the reason. */
export const reasonText = parserFor(readReason, `Must be 1 to ${maxReasonLength} printable characters.`)

/** An empty item is usually an unset shell variable, so it's an error. */
function listOf(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.includes('')) throw new InvalidArgumentError('The list is empty or has an empty item.')
  return parts
}

/** If the option is repeated, all of its lists apply. */
const namesFrom =
  <Name extends string>(kind: string, known: readonly Name[]) =>
  (text: string, previous: Name[] = []): Name[] => {
    const wanted: string[] = [...previous, ...listOf(text)]
    const unknown = wanted.filter((name) => !known.some((each) => each === name))
    if (unknown.length > 0)
      throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. The ${kind} are ${known.join(', ')}.`)
    return known.filter((name) => wanted.includes(name))
  }

export const someScopes = namesFrom('scopes', scopes)
export const someEvents = namesFrom('events', Object.keys(events) as EventName[])

/** If the option is repeated, all of its lists apply. */
export function networkRanges(text: string, previous: string[] = []): string[] {
  const given = listOf(text).map((entry) => {
    try {
      parseRange(entry)
      return entry
    } catch {
      throw new InvalidArgumentError(`${entry} is not an IP address or a CIDR range.`)
    }
  })
  return [...previous, ...given]
}

/** ISO 8601. A date without a time is the start or the end of that day in UTC, depending on `edge`. */
export const instantArgument = (edge: 'start' | 'end') =>
  parserFor(
    (text) => readInstant(text, edge),
    'Must be an ISO 8601 date or date-time, such as 2026-11-21 or 2026-11-21T07:35Z.',
  )

/** `what` begins the descriptions, such as `only lines booked`. */
export const fromOption = (what: string): Option =>
  new Option(
    '--from <time>',
    `${what} at this time or later (ISO 8601; UTC unless it has an offset)`,
  ).argParser(instantArgument('start'))
export const toOption = (what: string, note = ''): Option =>
  new Option(
    '--to <time>',
    `${what} at this time or earlier; a date means the end of that day${note}`,
  ).argParser(instantArgument('end'))

/** Rejects an empty id, which is usually an unset shell variable: with it, a command might select all objects. */
export const someId = parserFor((text) => /^[\w-]{1,100}$/.exec(text)?.[0], 'Must be an id.')

export const phoneNumber = parserFor(readPhone, 'Must be a phone number.')
export const walletPhone = parserFor(
  readWalletPhone,
  'Must be a mobile phone number, as customers type it to pay.',
)
export const pinCode = parserFor(readPin, 'Must be 4 to 6 digits.')

const integerIn = (text: string, min: number, max: number): number | null =>
  /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : null

export const centimes = parserFor(
  (text) => integerIn(text, 0, Number.MAX_SAFE_INTEGER),
  `Must be a whole number of centimes from 0 to ${Number.MAX_SAFE_INTEGER}.`,
)

export const wholeNumber = (min: number, max: number) =>
  parserFor((text) => integerIn(text, min, max), `Must be a whole number from ${min} to ${max}.`)

/** At most about three years. */
export const secondsArgument = wholeNumber(0, 99_999_999)

/** `default` stands for the service's own limit. */
export const limitFrom = (min: number, max: number) =>
  parserFor(
    (text) => (text === 'default' ? text : integerIn(text, min, max)),
    `Must be a whole number from ${min} to ${max}, or default.`,
  )

/** Collects the values of a repeatable option in an array. */
export const collectEach =
  <T>(parse: (text: string) => T) =>
  (text: string, previous: T[] | undefined): T[] => [...(previous ?? []), parse(text)]
