import { normaliseDigits } from './digits.ts'

const countryCode = '222'
const nationalLength = 8
/** A shorter one could be a national number with a stray `+`. */
const minForeignLength = 10

const separators = /[\s.()/\p{Dash_Punctuation}]/gu
const trunkZero = /\(0\)/

/** Returns only digits. Mauritanian numbers lose their country code. */
export function readPhone(typed: string): string | null {
  const text = normaliseDigits(typed).replace(trunkZero, '').replaceAll(separators, '')
  const [, prefix, digits = ''] = /^(\+|00)?([1-9]\d{7,14})$/.exec(text) ?? []
  if (digits === '' || (prefix !== undefined && digits.length < minForeignLength)) return null
  if (digits.length === nationalLength || !digits.startsWith(countryCode)) return digits
  return digits.length === countryCode.length + nationalLength ? digits.slice(countryCode.length) : null
}

/** The second digit of a Mauritanian landline is 5. */
const mobile = /^[234][^5]/

/** A Mauritanian landline can't have a wallet. */
export function readWalletPhone(typed: string): string | null {
  const phone = readPhone(typed)
  return phone?.length === nationalLength && !mobile.test(phone) ? null : phone
}

/** Hides the number's length, e.g. `22 ** ** 45` (SPEC 6.2). */
export function maskPhone(phone: string): string {
  const digits = readPhone(phone) ?? phone
  return `${digits.slice(0, 2)} ** ** ${digits.slice(-2)}`
}

export function readPin(typed: string): string | null {
  const pin = normaliseDigits(typed).trim()
  return /^\d{4,6}$/.test(pin) ? pin : null
}
