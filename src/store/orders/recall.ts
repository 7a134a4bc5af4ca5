import type { Deps } from '../../deps.ts'
import { type Order, placed } from './order.ts'

/** The sealed first answer of the order whose effect id this is, or null when none was placed. */
export async function recallOrder(deps: Pick<Deps, 'Order'>, effectId: string): Promise<string | null> {
  const order = await deps.Order.findOne({ _id: effectId, ...placed }, { answer: 1 }).lean<Pick<
    Order,
    'answer'
  > | null>()
  return order?.answer ?? null
}
