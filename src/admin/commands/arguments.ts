import { InvalidArgumentError, Option } from 'commander'
import { type EventName, eventScopes } from '../../../schemas/events.ts'
import { exportFormats } from '../../../schemas/ledger.ts'
import { apiScopes } from '../../../schemas/scopes.ts'
import { maxReasonLength, readReason } from '../../audit/acts.ts'
import { readInstant } from '../../input/instant.ts'
import { isLongerThan, type NameKind, normaliseName } from '../../input/name.ts'
import { readPhone, readPin, readWalletPhone } from '../../input/phone.ts'
import { isIpRange } from '../../platform/network.ts'

export const createParser =
  <Value>(read: (text: string) => Value | null | undefined, message: string) =>
  (text: string): Value => {
    const value = read(text)
    if (value === null || value === undefined) throw new InvalidArgumentError(message)
    return value
  }

export const choiceParser = <Choice extends string>(...choices: Choice[]) =>
  createParser((text) => choices.find((each) => each === text), `Must be ${choices.join(' or ')}.`)

const typed = (kind: NameKind, maxLength: number) =>
  createParser((text) => {
    const name = normaliseName(kind, text)
    return name === null || isLongerThan(name, maxLength) ? null : name
  }, `Must be 1 to ${maxLength} printable characters.`)

export const parseBusinessName = typed('name', 200)
export const parsePayoutReference = typed('reference', 64)

export const parseReasonText = createParser(
  readReason,
  `Must be 1 to ${maxReasonLength} printable characters.`,
)

/** Rejects an empty item, which usually comes from an unset shell variable. */
function listOf(text: string) {
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

export const parseScopes = namesFrom('scopes', apiScopes)
export const parseEventNames = namesFrom('events', Object.keys(eventScopes) as EventName[])

export function parseIpRanges(text: string, previous: string[] = []): string[] {
  const given = listOf(text)
  const wrong = given.find((entry) => !isIpRange(entry))
  if (wrong !== undefined) throw new InvalidArgumentError(`${wrong} is not an IP address or a CIDR range.`)
  return [...previous, ...given]
}

/** A date without a time becomes the start or end of that UTC day. */
export const instantParser = (edge: 'start' | 'end') =>
  createParser(
    (text) => readInstant(text, edge),
    'Must be an ISO 8601 date or date-time, such as 2026-11-21 or 2026-11-21T07:35Z.',
  )

export function fromTimeOption(what: string): Option {
  const description = `${what} at this time or later (ISO 8601; UTC unless it has an offset)`
  return new Option('--from <time>', description).argParser(instantParser('start'))
}
export function toTimeOption(what: string, note = ''): Option {
  const description = `${what} at this time or earlier; a date means the end of that day${note}`
  return new Option('--to <time>', description).argParser(instantParser('end'))
}

export const exportFormatOption = (): Option =>
  new Option('--format <format>', 'csv, or jsonl with one JSON object per line')
    .argParser(choiceParser(...exportFormats))
    .default('csv')

/** Rejects an empty id, because it might select every object. */
export const idArgument = createParser((text) => /^[\w-]{1,100}$/.exec(text)?.[0], 'Must be an id.')

export const parsePhoneNumber = createParser(readPhone, 'Must be a phone number.')
const asTypedToPay = 'Must be a mobile phone number, as customers type it to pay.'
export const parseWalletPhone = createParser(readWalletPhone, asTypedToPay)
export const parsePin = createParser(readPin, 'Must be 4 to 6 digits.')

const integerIn = (text: string, min: number, max: number) =>
  /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max ? Number(text) : null

export const parseCentimesArgument = createParser(
  (text) => integerIn(text, 0, Number.MAX_SAFE_INTEGER),
  `Must be a whole number of centimes from 0 to ${Number.MAX_SAFE_INTEGER}.`,
)

export const integerParser = (min: number, max: number) =>
  createParser((text) => integerIn(text, min, max), `Must be a whole number from ${min} to ${max}.`)

export const parseSeconds = integerParser(0, 99_999_999)

export const idListArgument = (text: string, previous: string[] = []): string[] => [
  ...previous,
  idArgument(text),
]
