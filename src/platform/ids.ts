import { randomInt } from 'node:crypto'
import { Types } from 'mongoose'

const unambiguous = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** 80 random bits. `randomInt` is five times as fast as `randomBytes`. */
const randomText = (): string => Array.from({ length: 16 }, () => unambiguous[randomInt(32)]).join('')

/** Ids increase with time, so indexes grow only at one end. */
export const newId = (): string => new Types.ObjectId().toHexString()

export const isId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text)

export const newReferenceNumber = (): string => `PI-${randomText()}`

export const newRefundId = (): string => `RF-${randomText()}`

export const newOrderNumber = (): string => `OR-${randomText()}`

export const isOrderNumber = (text: string): boolean => /^OR-[0-9A-Z]+$/.test(text)

const shortCodeLength = 6

export const shortCodeCount = unambiguous.length ** shortCodeLength

/** The end of a payment's short URL (SPEC 2.1). */
export const toShortCode = (number: number): string =>
  Array.from({ length: shortCodeLength }, (_, at) => unambiguous[(number >>> (5 * at)) % 32]).join('')

export const isShortCode = (text: string): boolean =>
  text.length === shortCodeLength && Array.from(text).every((character) => unambiguous.includes(character))

export const newPaymentCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')
