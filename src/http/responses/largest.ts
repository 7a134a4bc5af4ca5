import type { PageQuery } from '../../../schemas/queries.ts'
import { readPageRequest } from '../../lists/pagination.ts'

/**
 * The maximum size of each kind of item as JSON, in bytes, if every string has its maximum length and consists of the
 * characters that take up most bytes. `wholeDelivery` includes the bodies and responses of the delivery's attempts.
 */
export const largestItem = {
  intent: 232 * 1024,
  delivery: 4 * 1024,
  wholeDelivery: 512 * 1024,
  endpoint: 8 * 1024,
  replay: 2 * 1024,
  product: 96 * 1024,
  order: 256 * 1024,
  event: 256 * 1024,
  balance: 1024,
  ledgerEntry: 4 * 1024,
  statement: 2 * 1024,
  refund: 8 * 1024,
} as const

export type ItemKind = keyof typeof largestItem

/**
 * The number of bytes of memory needed for each byte of an item: one for the response text, and at most one for the
 * documents from which the response is built (measured).
 */
const perByte = 2

/** Returns how much memory to reserve for a single item, in bytes. */
export const memoryOfOne = (kind: ItemKind): number => largestItem[kind] * perByte

/**
 * The memory, in bytes, to reserve for a file that is generated while it is being sent. This is enough for a page of
 * products and three chunks of 2 MB (src/store/exports).
 */
export const memoryOfDownload = 50 * largestItem.product + 3 * 2 * 1024 * 1024

/** Returns the number of bytes to reserve for the page that a valid query requests. */
export const memoryOfPage = (kind: ItemKind, query: unknown): number =>
  readPageRequest(query as PageQuery).limit * memoryOfOne(kind)
