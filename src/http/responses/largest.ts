import type { PageQuery } from '../../../schemas/page.ts'
import { readSlice } from '../../pagination.ts'

/**
 * The most bytes that one item has as JSON: all its texts as long as they may be, each character escaped as six bytes. Bodies and responses
 * of receivers are among them where a delivery is shown whole.
 */
export const largestItem = {
  intent: 176 * 1024,
  delivery: 4 * 1024,
  wholeDelivery: 512 * 1024,
  endpoint: 8 * 1024,
  product: 176 * 1024,
  order: 256 * 1024,
} as const

export type ItemKind = keyof typeof largestItem

/** Beside its text a response has the documents that it is made of, which take as much at most (measured). */
const perByte = 2

/** What to reserve for one item. */
export const memoryOfOne = (kind: ItemKind): number => largestItem[kind] * perByte

/** What to reserve for a file that is made while it is sent: 50 products, and three pieces of 2 MB (store/exports). */
export const memoryOfDownload = 8 * 1024 * 1024

/** What to reserve for the page that a valid query asks for. */
export const memoryOfPage = (kind: ItemKind, query: unknown): number =>
  readSlice(query as PageQuery).limit * memoryOfOne(kind)
