import type { Variant } from './product.ts'

/** Returns the SKUs of the variants. Variants without a SKU are skipped. */
export const skusOf = (variants: readonly Partial<Pick<Variant, 'sku'>>[]): string[] =>
  variants.flatMap(({ sku }) => sku ?? [])
