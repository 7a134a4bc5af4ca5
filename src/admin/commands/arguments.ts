import { InvalidArgumentError } from 'commander'
import { type EventName, events } from '../../../schemas/events.ts'
import { type Scope, scopes } from '../../../schemas/scopes.ts'
import { maxReasonLength, readReason } from '../../audit/reason.ts'
import { readInstant } from '../../input/instant.ts'
import { isLonger, type NameKind, readName } from '../../input/name.ts'
import { parseRange } from '../../security/network.ts'
import { readPhone, readPin } from '../../wallets/phone.ts'

/**
 * Splits a comma-separated list. An empty item is usually caused by an unset shell variable, so it is rejected with an
 * error.
 */
function listOf(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.includes('')) throw new InvalidArgumentError('The list is empty or has an empty item.')
  return parts
}

export const choice =
  <Choice extends string>(...choices: Choice[]) =>
  (text: string): Choice => {
    const chosen = choices.find((each) => each === text)
    if (chosen === undefined) throw new InvalidArgumentError(`Must be ${choices.join(' or ')}.`)
    return chosen
  }

const typed =
  (kind: NameKind, maxLength: number) =>
  (text: string): string => {
    const name = readName(kind, text)
    if (name === null || isLonger(name, maxLength))
      throw new InvalidArgumentError(`Must be 1 to ${maxLength} printable characters.`)
    return name
  }

/** Parses the name of a business or shop, or a part of it. */
export const businessName = typed('name', 200)
export const payoutReference = typed('reference', 64)

/** Parses the reason for an act, which the audit trail shows. */
export function reasonText(text: string): string {
  const reason = readReason(text)
  if (reason === null) throw new InvalidArgumentError(`Must be 1 to ${maxReasonLength} printable characters.`)
  return reason
}

/**
 * Parses a list of scopes. An empty list does not stand for all scopes, but is rejected with an error, because it is
 * usually caused by an unset shell variable. If the option is repeated, all its lists apply.
 */
export function someScopes(text: string, previous: Scope[] = []): Scope[] {
  const wanted = [...previous, ...listOf(text)]
  const unknown = wanted.filter((name) => !scopes.some((scope) => scope === name))
  if (unknown.length > 0)
    throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. The scopes are ${scopes.join(', ')}.`)
  return scopes.filter((scope) => wanted.includes(scope))
}

/** Parses a list of webhook events. If the option is repeated, all its lists apply. */
export function someEvents(text: string, previous: EventName[] = []): EventName[] {
  const names = Object.keys(events) as EventName[]
  const wanted = [...previous, ...listOf(text)]
  const unknown = wanted.filter((name) => !names.some((each) => each === name))
  if (unknown.length > 0)
    throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. The events are ${names.join(', ')}.`)
  return names.filter((name) => wanted.includes(name))
}

/** Parses a list of networks. If the option is repeated, all its lists apply. */
export function ranges(text: string, previous: string[] = []): string[] {
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

/**
 * Parses an ISO 8601 date or date-time. A date without a time stands for the start or the end of that day in UTC,
 * depending on `edge`.
 */
export const instant =
  (edge: 'start' | 'end') =>
  (text: string): Date => {
    const read = readInstant(text, edge)
    if (read === null)
      throw new InvalidArgumentError('Must be an ISO 8601 date or date-time, such as 2026-11-21 or 2026-11-21T07:35Z.')
    return read
  }

/**
 * Parses an id. Throws if the text is empty or cannot be an id. An empty id is usually caused by an unset shell
 * variable. If it were accepted, a command might select all objects.
 */
export function someId(text: string): string {
  if (!/^[\w-]{1,100}$/.test(text)) throw new InvalidArgumentError('Must be an id.')
  return text
}

export function phoneNumber(text: string): string {
  const phone = readPhone(text)
  if (phone === null) throw new InvalidArgumentError('Must be a phone number.')
  return phone
}

export function pinCode(text: string): string {
  const pin = readPin(text)
  if (pin === null) throw new InvalidArgumentError('Must be 4 to 6 digits.')
  return pin
}

export function centimes(text: string): number {
  const amount = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(amount))
    throw new InvalidArgumentError(`Must be a whole number of centimes from 0 to ${Number.MAX_SAFE_INTEGER}.`)
  return amount
}

/** Parses a whole number from `min` to `max`. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`)
    return number
  }

/** Parses a whole number of seconds, at most about three years. */
export const seconds = wholeNumber(0, 99_999_999)

/** Parses a limit, which is a whole number or the word `default`. `default` stands for the service's own limit. */
export const limitFrom =
  (min: number, max: number) =>
  (text: string): number | 'default' => {
    if (text === 'default') return text
    const limit = Number(text)
    if (!/^\d+$/.test(text) || limit < min || limit > max)
      throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}, or default.`)
    return limit
  }

/** Parses each value of a repeatable option and collects the values in an array. */
export const each =
  <T>(parse: (text: string) => T) =>
  (text: string, previous: T[] | undefined): T[] => [...(previous ?? []), parse(text)]
