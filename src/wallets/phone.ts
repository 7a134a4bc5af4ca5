import { plainDigits } from '../input/digits.ts'

/** Mauritania's, which people leave out. */
const countryCode = '222'
const nationalLength = 8
/** With the code of a country: else a number of ours behind a stray `+` would be somebody's abroad. */
const shortestAbroad = 10

/** What people write between the digits. */
const between = /[\s.()/\p{Dash_Punctuation}]/gu
/** Of a number that is written for callers from both abroad and home: `+33 (0)6 …`. */
const trunkZero = /\(0\)/

/**
 * A phone number as wallets know it: digits only; one of this country without its code, however it was typed, any other with its code.
 * Null for what is no phone number.
 */
export function readPhone(typed: string): string | null {
  const text = plainDigits(typed).replace(trunkZero, '').replaceAll(between, '')
  // No country code begins with 0.
  const [, prefix, digits = ''] = /^(\+|00)?([1-9]\d{7,14})$/.exec(text) ?? []
  if (digits === '' || (prefix !== undefined && digits.length < shortestAbroad)) return null
  if (digits.length === nationalLength || !digits.startsWith(countryCode)) return digits
  return digits.length === countryCode.length + nationalLength ? digits.slice(countryCode.length) : null
}

/** A phone number as merchants and staff see it: `22******45`, whatever its length. */
export const maskPhone = (phone: string): string => `${phone.slice(0, 2)}******${phone.slice(-2)}`

/** 4 to 6 digits, of any script; null for anything else. */
export function readPin(typed: string): string | null {
  const pin = plainDigits(typed).trim()
  return /^\d{4,6}$/.test(pin) ? pin : null
}
