import type { Variant } from './product.ts'

/** Returns the SKUs of those variants that have one. */
export const skusOf = (variants: readonly Partial<Pick<Variant, 'sku'>>[]): string[] =>
  variants.flatMap(({ sku }) => sku ?? [])
