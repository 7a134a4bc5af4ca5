import type { Product, Variant } from './product.ts'

/** What of a product its merchant sees. */
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

/** A product as its merchant sees it: prices in centimes, instants in ISO 8601. */
export const presentProduct = (product: ShownProduct): Record<string, unknown> => ({
  _id: product._id,
  // Deleted, it has none: for the retry of a change from before.
  handle: product.handle ?? product._id,
  name: product.name,
  description: product.description,
  images: product.images,
  active: product.active,
  sandbox: product.sandbox,
  variants: product.variants.map(presentVariant),
  createdAt: product.createdAt,
  updatedAt: product.updatedAt,
})

export const presentVariant = ({ _id, label, sku, price, stock }: Variant): Record<string, unknown> => ({
  _id,
  label,
  sku,
  price,
  stock,
})
