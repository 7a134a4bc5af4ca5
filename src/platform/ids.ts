import { randomInt } from 'node:crypto'
import { Types } from 'mongoose'

/** 32 characters that cannot be confused with one another. 0, O, 1 and I are left out. */
const unambiguous = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/**
 * Returns `length` random characters, each worth 5 bits. `randomInt` draws from a pool of secure bytes, so it takes
 * only a fifth as long as `randomBytes`.
 */
function randomText(length: number): string {
  let text = ''
  for (let position = 0; position < length; position += 1) text += unambiguous[randomInt(32)]
  return text
}

/** Returns a new document id of 24 hex digits. Ids increase with time, so that indexes grow only at one end. */
export const newId = (): string => new Types.ObjectId().toHexString()

/** Returns whether a string has the form of a document id. */
export const isId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text)

/** Returns `PI-` followed by 16 characters. Their 80 random bits make it impossible to enumerate reference numbers. */
export const newReferenceNumber = (): string => `PI-${randomText(16)}`

/** Returns `RF-` followed by 16 characters. */
export const newRefundId = (): string => `RF-${randomText(16)}`

/** Returns `OR-` followed by 16 characters. */
export const newOrderNumber = (): string => `OR-${randomText(16)}`

/** Returns whether a string has the form of an order number. */
export const isOrderNumber = (text: string): boolean => /^OR-[0-9A-Z]+$/.test(text)

const shortCodeLength = 6

/** The number of different short codes. */
export const allShortCodes = unambiguous.length ** shortCodeLength

/** Returns the short code with this number: the 6 characters of a payment's short URL (SPEC 2.1). */
export const shortCodeOf = (number: number): string =>
  Array.from({ length: shortCodeLength }, (_, at) => unambiguous[(number >>> (5 * at)) % 32]).join('')

/** Returns whether a string has the form of a short code. */
export const isShortCode = (text: string): boolean =>
  text.length === shortCodeLength && Array.from(text).every((character) => unambiguous.includes(character))

/** Returns the 6 digits that a customer types to pay at a counter. The code may begin with zeros. */
export const newPaymentCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')
