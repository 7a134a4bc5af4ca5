import type { Variant } from './product.ts'

/** Returns the SKUs of the variants that have one. */
export const skusOf = (variants: readonly Partial<Pick<Variant, 'sku'>>[]): string[] =>
  variants.flatMap(({ sku }) => sku ?? [])
