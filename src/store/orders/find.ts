import type { Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { requireShop } from '../shops/open-shop.ts'
import { placed, type ShownOrder, shownFields } from './order.ts'

/**
 * Returns one of the caller's orders. Throws SHOP_NOT_FOUND if the caller has no shop. Throws ORDER_NOT_FOUND if the
 * order does not exist or belongs to another business. Throws SANDBOX_MISMATCH if the order belongs to the caller's
 * other environment.
 */
export async function findOrder(deps: Pick<Deps, 'Shop' | 'Order'>, caller: Caller, id: string): Promise<ShownOrder> {
  const { businessId, sandbox } = caller
  const order = await deps.Order.findOne({ _id: id, businessId, ...placed }, shownFields).lean<ShownOrder | null>()
  if (order?.sandbox === sandbox) return order
  await requireShop(deps, caller)
  throw refuse(order === null ? 'ORDER_NOT_FOUND' : 'SANDBOX_MISMATCH')
}
