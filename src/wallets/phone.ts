import { plainDigits } from '../input/digits.ts'

/** The code of Mauritania, which customers often omit. */
const countryCode = '222'
const nationalLength = 8
/**
 * The fewest digits of a foreign number, with its country code. A lower minimum would accept a national number after a
 * stray `+` as foreign.
 */
const minForeignLength = 10

/** Characters that people write between digits. */
const separators = /[\s.()/\p{Dash_Punctuation}]/gu
/** The zero in a number that is written for national and foreign callers: `+33 (0)6 …`. */
const trunkZero = /\(0\)/

/**
 * Returns a phone number in the form that wallets use: digits only. A number of this country has no country code, any
 * other number has one. Returns null if the text is not a phone number.
 */
export function readPhone(typed: string): string | null {
  const text = plainDigits(typed).replace(trunkZero, '').replaceAll(separators, '')
  // No country code begins with 0.
  const [, prefix, digits = ''] = /^(\+|00)?([1-9]\d{7,14})$/.exec(text) ?? []
  if (digits === '' || (prefix !== undefined && digits.length < minForeignLength)) return null
  if (digits.length === nationalLength || !digits.startsWith(countryCode)) return digits
  return digits.length === countryCode.length + nationalLength ? digits.slice(countryCode.length) : null
}

/**
 * Returns a phone number as merchants and staff see it: `22******45`, with the same number of stars for every length.
 */
export const maskPhone = (phone: string): string => `${phone.slice(0, 2)}******${phone.slice(-2)}`

/** Returns a PIN of 4 to 6 digits, typed in any script. Returns null for any other text. */
export function readPin(typed: string): string | null {
  const pin = plainDigits(typed).trim()
  return /^\d{4,6}$/.test(pin) ? pin : null
}
