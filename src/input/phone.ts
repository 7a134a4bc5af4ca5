import { plainDigits } from './digits.ts'

/** Mauritania's. Customers often omit it. */
const countryCode = '222'
const nationalLength = 8
/** With country code. Any lower, and a national number with a stray `+` would count as foreign. */
const minForeignLength = 10

/** What people type between digits. */
const separators = /[\s.()/\p{Dash_Punctuation}]/gu
/** As in `+33 (0)6 …`. */
const trunkZero = /\(0\)/

/** As wallets write it: digits only, with a country code unless it's Mauritanian. Null if it isn't a phone number. */
export function readPhone(typed: string): string | null {
  const text = plainDigits(typed).replace(trunkZero, '').replaceAll(separators, '')
  // No country code begins with 0.
  const [, prefix, digits = ''] = /^(\+|00)?([1-9]\d{7,14})$/.exec(text) ?? []
  if (digits === '' || (prefix !== undefined && digits.length < minForeignLength)) return null
  if (digits.length === nationalLength || !digits.startsWith(countryCode)) return digits
  return digits.length === countryCode.length + nationalLength ? digits.slice(countryCode.length) : null
}

/** Mauritanian. Landlines have 5 as the second digit. */
const mobile = /^[234][^5]/

/** Also null for a Mauritanian landline: it has no wallet, so it's a typing error. */
export function readWalletPhone(typed: string): string | null {
  const phone = readPhone(typed)
  return phone?.length === nationalLength && !mobile.test(phone) ? null : phone
}

/**
 * E.g. `22 ** ** 45` (SPEC 6.2), which doesn't reveal the number's length. The country code 222 is left out, as in
 * stored numbers.
 */
export function maskPhone(phone: string): string {
  const digits = readPhone(phone) ?? phone
  return `${digits.slice(0, 2)} ** ** ${digits.slice(-2)}`
}

/** 4 to 6 digits of any script, returned as Western digits; null for anything else. */
export function readPin(typed: string): string | null {
  const pin = plainDigits(typed).trim()
  return /^\d{4,6}$/.test(pin) ? pin : null
}
