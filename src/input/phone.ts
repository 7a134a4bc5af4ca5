import { plainDigits } from './digits.ts'

/** Mauritania's country code, which customers often omit. */
const countryCode = '222'
const nationalLength = 8
/** Includes the country code. If it were lower, a national number with a stray `+` would count as foreign. */
const minForeignLength = 10

/** Characters that people type between digits. */
const separators = /[\s.()/\p{Dash_Punctuation}]/gu
/** The zero in `+33 (0)6 …`, which callers from abroad leave out. */
const trunkZero = /\(0\)/

/** Returns digits only, as wallets write it, with a country code unless it's Mauritanian. Null if invalid. */
export function readPhone(typed: string): string | null {
  const text = plainDigits(typed).replace(trunkZero, '').replaceAll(separators, '')
  // No country code begins with 0.
  const [, prefix, digits = ''] = /^(\+|00)?([1-9]\d{7,14})$/.exec(text) ?? []
  if (digits === '' || (prefix !== undefined && digits.length < minForeignLength)) return null
  if (digits.length === nationalLength || !digits.startsWith(countryCode)) return digits
  return digits.length === countryCode.length + nationalLength ? digits.slice(countryCode.length) : null
}

/** Mauritanian mobile numbers. The second digit of a landline is 5. */
const mobile = /^[234][^5]/

/** Like `readPhone`, but also returns null for a Mauritanian landline: it has no wallet, so it's a typing error. */
export function readWalletPhone(typed: string): string | null {
  const phone = readPhone(typed)
  return phone?.length === nationalLength && !mobile.test(phone) ? null : phone
}

/** Returns e.g. `22 ** ** 45` (SPEC 6.2), which hides the number's length. 222 is left out, as when stored. */
export function maskPhone(phone: string): string {
  const digits = readPhone(phone) ?? phone
  return `${digits.slice(0, 2)} ** ** ${digits.slice(-2)}`
}

/** Accepts 4 to 6 digits of any script and returns Western digits. Returns null for anything else. */
export function readPin(typed: string): string | null {
  const pin = plainDigits(typed).trim()
  return /^\d{4,6}$/.test(pin) ? pin : null
}
