import { plainDigits } from './digits.ts'

/** Mauritania's country code, which customers often omit. */
const countryCode = '222'
const nationalLength = 8
/**
 * The minimum number of digits in a foreign number, including the country code. With a lower minimum, a national number
 * with a `+` typed in front of it by mistake would count as a foreign number.
 */
const minForeignLength = 10

/** Characters that people type between the digits of a phone number. */
const separators = /[\s.()/\p{Dash_Punctuation}]/gu
/** The zero in a number that is written for both national and foreign callers, such as `+33 (0)6 …`. */
const trunkZero = /\(0\)/

/**
 * Returns a phone number in the format that wallets use: digits only, with a country code unless the number is from
 * Mauritania. Returns null if the text is not a phone number.
 */
export function readPhone(typed: string): string | null {
  const text = plainDigits(typed).replace(trunkZero, '').replaceAll(separators, '')
  // No country code begins with 0.
  const [, prefix, digits = ''] = /^(\+|00)?([1-9]\d{7,14})$/.exec(text) ?? []
  if (digits === '' || (prefix !== undefined && digits.length < minForeignLength)) return null
  if (digits.length === nationalLength || !digits.startsWith(countryCode)) return digits
  return digits.length === countryCode.length + nationalLength ? digits.slice(countryCode.length) : null
}

/** A Mauritanian mobile number. The second digit of a landline is 5. */
const mobile = /^[234][^5]/

/**
 * Like `readPhone`, but also returns null for a Mauritanian number that isn't mobile. It has no wallet, so someone
 * mistyped it.
 */
export function readWalletPhone(typed: string): string | null {
  const phone = readPhone(typed)
  return phone?.length === nationalLength && !mobile.test(phone) ? null : phone
}

/**
 * Masks a phone number for merchants and staff, such as `22 ** ** 45` (SPEC 6.2). The groups do not reveal how long
 * the number is, and the country code 222 is left out, as in a stored number.
 */
export function maskPhone(phone: string): string {
  const digits = readPhone(phone) ?? phone
  return `${digits.slice(0, 2)} ** ** ${digits.slice(-2)}`
}

/**
 * Returns a PIN of 4 to 6 digits in Western digits, even if it was typed in another script. Returns null for any other
 * text.
 */
export function readPin(typed: string): string | null {
  const pin = plainDigits(typed).trim()
  return /^\d{4,6}$/.test(pin) ? pin : null
}
