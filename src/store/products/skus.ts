import type { Variant } from './product.ts'

/** The SKUs of variants: those without one have none. What an import has prepared for the product is not among them. */
export const skusOf = (variants: readonly Partial<Pick<Variant, 'sku'>>[]): string[] =>
  variants.flatMap(({ sku }) => sku ?? [])
