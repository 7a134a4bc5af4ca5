import { randomInt } from 'node:crypto'
import { Types } from 'mongoose'

/** 32 characters that cannot be mistaken for one another: no 0, O, 1 or I. */
const unambiguous = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/**
 * Returns `length` random characters of 5 bits each. `randomInt` draws from a pool of secure bytes, so it takes a fifth
 * of the time of `randomBytes`.
 */
function randomText(length: number): string {
  let text = ''
  for (let position = 0; position < length; position += 1) text += unambiguous[randomInt(32)]
  return text
}

/** Returns a new document id: 24 hex digits that ascend in time, so that indexes grow at one end. */
export const newId = (): string => new Types.ObjectId().toHexString()

/** Whether a text has the form of a document id. */
export const isId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text)

/** `PI-` and 16 characters: 80 random bits, so reference numbers cannot be enumerated. */
export const newReferenceNumber = (): string => `PI-${randomText(16)}`

/** `RF-` and 16 characters. */
export const newRefundId = (): string => `RF-${randomText(16)}`

/** `OR-` and 16 characters. */
export const newOrderNumber = (): string => `OR-${randomText(16)}`

/** Whether a reference has the form of an order number. */
export const isOrderNumber = (text: string): boolean => /^OR-[0-9A-Z]+$/.test(text)

/** The 6 characters of a short URL (SPEC 2.1). */
export const newShortCode = (): string => randomText(6)

/** Whether a text has the form of a short code. */
export const isShortCode = (text: string): boolean =>
  text.length === 6 && Array.from(text).every((character) => unambiguous.includes(character))

/** Returns the 6 digits that a customer types at a counter. They may begin with zeros. */
export const newPaymentCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')
