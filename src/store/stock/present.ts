import { presentVariant } from '../products/present.ts'
import type { StockedVariant } from './change.ts'

/** A variant after its stock changed, as its merchant sees it. */
export const presentStock = ({ productId, ...variant }: StockedVariant): Record<string, unknown> => ({
  productId,
  ...presentVariant(variant),
})
