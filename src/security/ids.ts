import { randomInt } from 'node:crypto'
import { Types } from 'mongoose'

/** 32 characters that are not mistaken for one another: no 0, O, 1, I. */
const unambiguous = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** `length` random characters, 5 bits each. `randomInt` draws from a pool of secure bytes, at a fifth of randomBytes' price. */
function randomText(length: number): string {
  let text = ''
  for (let place = 0; place < length; place += 1) text += unambiguous[randomInt(32)]
  return text
}

/** A fresh document id: 24 hex digits, ascending in time, so that indexes grow at one end. */
export const newId = (): string => new Types.ObjectId().toHexString()

/** Whether a text has the form of a document id. */
export const isId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text)

/** `PI-` and 16 characters: 80 random bits, so nobody finds a payment by counting. */
export const newReferenceNumber = (): string => `PI-${randomText(16)}`

/** `RF-` and 16 characters. */
export const newRefundId = (): string => `RF-${randomText(16)}`

/** `OR-` and 16 characters. */
export const newOrderNumber = (): string => `OR-${randomText(16)}`

/** Whether a text that names an order or a payment has the form of an order's number. */
export const isOrderNumber = (text: string): boolean => /^OR-[0-9A-Z]+$/.test(text)

/** The 6 characters of a short URL (SPEC 2.1). */
export const newShortCode = (): string => randomText(6)

/** Whether a text has the form of a short code. */
export const isShortCode = (text: string): boolean =>
  text.length === 6 && Array.from(text).every((character) => unambiguous.includes(character))

/** The 6 digits a customer types at a counter, leading zeros included. */
export const newPaymentCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')
