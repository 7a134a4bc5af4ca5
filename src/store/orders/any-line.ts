import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { type Line, type SoldProduct, soldFields } from './lines.ts'

/** It may walk past every product that is sold out; a shop in which that takes longer hears 503, and the others' requests go on. */
const lookingMs = 2000

/**
 * One unit of a variant in stock of the newest active product. 'held' when all that could be sold is held by other orders at this moment;
 * INSUFFICIENT_STOCK when there is nothing.
 */
export async function findAnyLine(
  deps: Pick<Deps, 'Product'>,
  { businessId, sandbox }: Caller,
): Promise<Line[] | 'held'> {
  const sold = { businessId, sandbox, listed: true, active: true }
  const product = await deps.Product.findOne(
    { ...sold, variants: { $elemMatch: { stock: { $gte: 1 } } } },
    soldFields,
  )
    .sort({ createdAt: -1, _id: -1 })
    .maxTimeMS(lookingMs)
    .lean<SoldProduct | null>()
  const variant = product?.variants.find(({ stock }) => stock >= 1)
  if (product !== null && variant !== undefined) return [{ param: 'items', product, variant, quantity: 1 }]
  const held = { ...sold, 'reservations.at': { $exists: true } }
  const isHeld = (await deps.Product.exists(held).maxTimeMS(lookingMs)) !== null
  if (isHeld) return 'held'
  throw refuse('INSUFFICIENT_STOCK', {
    message: 'No variant of an active product is in stock.',
    details: { items: [] },
  })
}
