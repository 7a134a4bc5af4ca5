import { InvalidArgumentError, Option } from 'commander'
import { type EventName, events } from '../../../schemas/events.ts'
import { exportFormats } from '../../../schemas/ledger.ts'
import { scopes } from '../../../schemas/scopes.ts'
import { maxReasonLength, readReason } from '../../audit/acts.ts'
import { readInstant } from '../../input/instant.ts'
import { isLonger, type NameKind, readName } from '../../input/name.ts'
import { readPhone, readPin, readWalletPhone } from '../../input/phone.ts'
import { parseRange } from '../../platform/network.ts'

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

export const businessName = typed('name', 200)
export const payoutReference = typed('reference', 64)

export const reasonText = parserFor(readReason, `Must be 1 to ${maxReasonLength} printable characters.`)

/** Rejects an empty item, which usually comes from an unset shell variable. */
function listOf(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.includes('')) throw new InvalidArgumentError('The list is empty or has an empty item.')
  return parts
}

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

export function networkRanges(text: string, previous: string[] = []): string[] {
  const given = listOf(text)
  for (const entry of given)
    try {
      parseRange(entry)
    } catch {
      throw new InvalidArgumentError(`${entry} is not an IP address or a CIDR range.`)
    }
  return [...previous, ...given]
}

/** A date without a time becomes the start or end (`edge`) of that UTC day. */
export const instantArgument = (edge: 'start' | 'end') =>
  parserFor(
    (text) => readInstant(text, edge),
    'Must be an ISO 8601 date or date-time, such as 2026-11-21 or 2026-11-21T07:35Z.',
  )

/** `what` begins the description, such as `only lines booked`. */
export function fromOption(what: string): Option {
  const description = `${what} at this time or later (ISO 8601; UTC unless it has an offset)`
  return new Option('--from <time>', description).argParser(instantArgument('start'))
}
export function toOption(what: string, note = ''): Option {
  const description = `${what} at this time or earlier; a date means the end of that day${note}`
  return new Option('--to <time>', description).argParser(instantArgument('end'))
}

export const formatOption = (): Option =>
  new Option('--format <format>', 'csv, or jsonl with one JSON object per line')
    .argParser(choice(...exportFormats))
    .default('csv')

/** Rejects an empty id (e.g. an unset shell variable), because it might select all objects. */
export const someId = parserFor((text) => /^[\w-]{1,100}$/.exec(text)?.[0], 'Must be an id.')

export const phoneNumber = parserFor(readPhone, 'Must be a phone number.')
const asTypedToPay = 'Must be a mobile phone number, as customers type it to pay.'
export const walletPhone = parserFor(readWalletPhone, asTypedToPay)
export const pinCode = parserFor(readPin, 'Must be 4 to 6 digits.')

const integerIn = (text: string, min: number, max: number): number | null =>
  /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : null

export const parseCentimesArgument = parserFor(
  (text) => integerIn(text, 0, Number.MAX_SAFE_INTEGER),
  `Must be a whole number of centimes from 0 to ${Number.MAX_SAFE_INTEGER}.`,
)

export const wholeNumber = (min: number, max: number) =>
  parserFor((text) => integerIn(text, min, max), `Must be a whole number from ${min} to ${max}.`)

export const secondsArgument = wholeNumber(0, 99_999_999)

export const someIds = (text: string, previous: string[] = []): string[] => [...previous, someId(text)]
