import type { Product, Variant } from './product.ts'

/** A product as its merchant sees it: prices in centimes, instants in ISO 8601. */
export const presentProduct = (product: Product): Record<string, unknown> => ({
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
