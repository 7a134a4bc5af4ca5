/** Mauritania's, which people leave out. */
const countryCode = '222'
const nationalLength = 8

/** Digits of any script that people here type, and what they write between them. */
const easternDigits = '٠١٢٣٤٥٦٧٨٩'
const persianDigits = '۰۱۲۳۴۵۶۷۸۹'
const unseen = /[\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g
const between = /[\s.()/\p{Dash_Punctuation}]/gu
/** Of a number that is written for callers from both abroad and home: `+33 (0)6 …`. */
const trunkZero = /\(0\)/

/** The same text with Arabic-Indic and Persian digits as 0 to 9. */
export const asciiDigits = (text: string): string =>
  text.replaceAll(/[٠-٩۰-۹]/g, (digit) =>
    String(Math.max(easternDigits.indexOf(digit), persianDigits.indexOf(digit))),
  )

/**
 * A phone number as wallets know it: digits only; one of this country without its code, however it was typed, any other with its code.
 * Null for what is no phone number.
 */
export function readPhone(typed: string): string | null {
  const text = asciiDigits(typed).replaceAll(unseen, '').replace(trunkZero, '').replaceAll(between, '')
  const digits = text.replace(/^\+|^00/, '')
  // No country code begins with 0.
  if (!/^[1-9]\d{7,14}$/.test(digits)) return null
  const isNational = text.length === nationalLength
  if (isNational || !digits.startsWith(countryCode)) return digits
  return digits.length === countryCode.length + nationalLength ? digits.slice(countryCode.length) : null
}

/** A phone number as merchants and staff see it: `22******45`, whatever its length. */
export const maskPhone = (phone: string): string => `${phone.slice(0, 2)}******${phone.slice(-2)}`

/** 4 to 6 digits, of any script; null for anything else. */
export function readPin(typed: string): string | null {
  const pin = asciiDigits(typed.replaceAll(unseen, '').trim())
  return /^\d{4,6}$/.test(pin) ? pin : null
}
