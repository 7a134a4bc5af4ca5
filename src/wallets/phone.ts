/** Mauritania's, which people leave out. */
const countryCode = '222'
const nationalLength = 8

/** Digits of any script that people here type, and what they write between them. */
const easternDigits = '٠١٢٣٤٥٦٧٨٩'
const persianDigits = '۰۱۲۳۴۵۶۷۸۹'
const between = /[\s\u00a0\u200e\u200f\u202a-\u202e\u2066-\u2069.()-]/g

/** The same text with Arabic-Indic and Persian digits as 0 to 9. */
export const asciiDigits = (text: string): string =>
  text.replaceAll(/[٠-٩۰-۹]/g, (digit) =>
    String(Math.max(easternDigits.indexOf(digit), persianDigits.indexOf(digit))),
  )

/**
 * A phone number as wallets know it: digits only; one of this country without its code, however it was typed. Null for
 * what is no phone number.
 */
export function readPhone(typed: string): string | null {
  const text = asciiDigits(typed)
    .replaceAll(between, '')
    .replace(/^\+|^00/, '')
  if (!/^\d{8,15}$/.test(text)) return null
  const isOurs = text.startsWith(countryCode) && text.length === countryCode.length + nationalLength
  return isOurs ? text.slice(countryCode.length) : text
}

/** A phone number as merchants and staff see it: `22******45`, whatever its length. */
export const maskPhone = (phone: string): string => `${phone.slice(0, 2)}******${phone.slice(-2)}`

/** 4 to 6 digits, of any script; null for anything else. */
export function readPin(typed: string): string | null {
  const pin = asciiDigits(typed.trim())
  return /^\d{4,6}$/.test(pin) ? pin : null
}
