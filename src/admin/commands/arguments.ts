import { InvalidArgumentError } from 'commander'
import { type Scope, scopes } from '../../../schemas/scopes.ts'
import { readInstant } from '../../input/instant.ts'
import { parseRange } from '../../security/network.ts'
import { readPhone, readPin } from '../../wallets/phone.ts'

/** The parts of a list; an empty part is a mistake of whoever put the list together. */
function listOf(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.includes('')) throw new InvalidArgumentError('The list is empty, or has an empty part.')
  return parts
}

export const choice =
  <Choice extends string>(...choices: Choice[]) =>
  (text: string): Choice => {
    const chosen = choices.find((each) => each === text)
    if (chosen === undefined) throw new InvalidArgumentError(`Must be ${choices.join(' or ')}.`)
    return chosen
  }

/** 1 to 200 characters that can be kept and shown. */
export function businessName(text: string): string {
  const name = text.trim()
  if (name === '' || Array.from(name).length > 200 || /\p{Cc}/u.test(name) || !name.isWellFormed())
    throw new InvalidArgumentError('Must be 1 to 200 characters of text.')
  return name
}

/** Scopes by name. An empty list is a mistake (an unset variable of a shell), not a wish for all of them. */
export function someScopes(text: string): Scope[] {
  const wanted = listOf(text)
  const unknown = wanted.filter((name) => !scopes.some((scope) => scope === name))
  if (unknown.length > 0)
    throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. There are: ${scopes.join(', ')}.`)
  return scopes.filter((scope) => wanted.includes(scope))
}

export function ranges(text: string): string[] {
  return listOf(text).map((entry) => {
    try {
      parseRange(entry)
      return entry
    } catch {
      throw new InvalidArgumentError(`${entry} is no address and no CIDR.`)
    }
  })
}

export function seconds(text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new InvalidArgumentError('Must be a whole number of seconds.')
  return Number(text)
}

/** A moment as ISO 8601; a bare date is the beginning or the end of that UTC day. */
export const instant =
  (edge: 'start' | 'end') =>
  (text: string): Date => {
    const read = readInstant(text, edge)
    if (read === null) throw new InvalidArgumentError('Must be an ISO 8601 date or date-time.')
    return read
  }

/** An id as the service prints them. An empty one is an unset variable of a shell, not a wish for all. */
export function someId(text: string): string {
  if (!/^[\w-]{1,100}$/.test(text)) throw new InvalidArgumentError('Is no id.')
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
    throw new InvalidArgumentError(`Must be a whole number of centimes, 0 to ${Number.MAX_SAFE_INTEGER}.`)
  return amount
}

/** Parses a limit: a whole number, or `default` for the limit of the service. */
export const limitFrom =
  (least: number, most: number) =>
  (text: string): number | 'default' => {
    if (text === 'default') return text
    const limit = Number(text)
    if (!/^\d+$/.test(text) || limit < least || limit > most)
      throw new InvalidArgumentError(`Must be a whole number from ${least} to ${most}, or default.`)
    return limit
  }

/** An option that may name several: gathers what each of its values reads as. */
export const each =
  <T>(read: (text: string) => T) =>
  (text: string, before: T[] | undefined): T[] => [...(before ?? []), read(text)]
