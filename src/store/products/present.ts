import type { Product, Variant } from './product.ts'

/** The fields of a product that its merchant can see. */
export const shownFields = {
  handle: 1,
  name: 1,
  description: 1,
  images: 1,
  active: 1,
  sandbox: 1,
  variants: 1,
  createdAt: 1,
  updatedAt: 1,
} as const

export type ShownProduct = Pick<Product, '_id' | keyof typeof shownFields>

/** Returns a product as its merchant sees it. Prices are in centimes. */
export function presentProduct(product: ShownProduct): Record<string, unknown> {
  const { _id, handle, name, description, images, active, sandbox, variants, createdAt, updatedAt } = product
  const shown = { _id, handle, name, description, images, active, sandbox }
  return { ...shown, variants: variants.map(presentVariant), createdAt, updatedAt }
}

export const presentVariant = ({ _id, label, sku, price, stock }: Variant) => ({ _id, label, sku, price, stock })
