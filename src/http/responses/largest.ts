import type { PageQuery } from '../../../schemas/requests.ts'
import { parsePageRequest } from '../../lists/pagination.ts'

/** The size in bytes of each item's largest possible JSON. */
export const maxItemBytes = {
  intent: 232 * 1024,
  delivery: 4 * 1024,
  wholeDelivery: 512 * 1024,
  endpoint: 12 * 1024,
  replay: 2 * 1024,
  product: 96 * 1024,
  order: 256 * 1024,
  event: 256 * 1024,
  balance: 1024,
  ledgerEntry: 4 * 1024,
  statement: 2 * 1024,
  refund: 8 * 1024,
} as const

export type ShownItemKind = keyof typeof maxItemBytes

/** Per byte of JSON: one for the text, at most one for documents (measured). */
const perByte = 2

export const itemMemoryBytes = (kind: ShownItemKind): number => maxItemBytes[kind] * perByte

/** A download holds a page of products and three 2 MB chunks. */
export const downloadMemoryBytes = 50 * maxItemBytes.product + 3 * 2 * 1024 * 1024

export const pageMemoryBytes = (kind: ShownItemKind, query: unknown): number =>
  parsePageRequest(query as PageQuery).limit * itemMemoryBytes(kind)
