import type { Evidence } from '../folder/evidence.ts'
import { dataOf } from './answers.ts'

/** A variant as its product names it. */
export interface Variant {
  _id: string
  label: string
}

/** The variants of each product by the product's id: as stored, or, of one that the clean-up took, as its maker was answered. */
export function variantsByProduct({ calls, dump }: Evidence): Map<string, Variant[]> {
  const made = calls
    .filter(({ what }) => what === 'product.create')
    .map((call) => dataOf<{ _id: string; variants?: Variant[] }>(call))
    .filter((product) => product !== null)
  return new Map([...made, ...dump.products].map(({ _id, variants = [] }) => [_id, variants]))
}
