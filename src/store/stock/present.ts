import type { StockedVariant } from './stocked-variant.ts'

/** A variant after its stock changed, as its merchant sees it. */
export const presentStock = ({
  productId,
  _id,
  label,
  sku,
  price,
  stock,
}: StockedVariant): Record<string, unknown> => ({ productId, _id, label, sku, price, stock })
