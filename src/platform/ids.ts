import { randomInt } from 'node:crypto'
import { Types } from 'mongoose'

/** Leaves out 0, O, 1 and I, which look alike. */
const unambiguous = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Each character is worth 5 bits. `randomInt` takes a fifth as long as `randomBytes`, because it has a pool. */
function randomText(length: number): string {
  let text = ''
  for (let position = 0; position < length; position += 1) text += unambiguous[randomInt(32)]
  return text
}

/** Ids have 24 hex digits and increase with time, so that indexes grow only at one end. */
export const newId = (): string => new Types.ObjectId().toHexString()

export const isId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text)

/** 80 random bits make it impossible to enumerate reference numbers. */
export const newReferenceNumber = (): string => `PI-${randomText(16)}`

export const newRefundId = (): string => `RF-${randomText(16)}`

export const newOrderNumber = (): string => `OR-${randomText(16)}`

export const isOrderNumber = (text: string): boolean => /^OR-[0-9A-Z]+$/.test(text)

const shortCodeLength = 6

export const allShortCodes = unambiguous.length ** shortCodeLength

/** Returns the 6 characters of a payment's short URL (SPEC 2.1). */
export const shortCodeOf = (number: number): string =>
  Array.from({ length: shortCodeLength }, (_, at) => unambiguous[(number >>> (5 * at)) % 32]).join('')

export const isShortCode = (text: string): boolean =>
  text.length === shortCodeLength && Array.from(text).every((character) => unambiguous.includes(character))

/** Customers type this code to pay at a counter. It may begin with zeros. */
export const newPaymentCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')
