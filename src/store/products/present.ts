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
export const presentProduct = (product: ShownProduct): Record<string, unknown> => ({
  _id: product._id,
  handle: product.handle,
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
