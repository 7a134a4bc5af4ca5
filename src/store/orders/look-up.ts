import type { Deps } from '../../deps.ts'
import { type Order, placed } from './order.ts'

/** An order as support staff see it, without the customer's data. */
export type TracedOrder = Omit<Order, 'customer' | 'attemptId'>

const hidden = { customer: 0, attemptId: 0, 'outbox.facts': 0 }

/** Finds an order by its number, in any business and environment. */
export const lookUpOrder = (deps: Pick<Deps, 'Order'>, number: string): Promise<TracedOrder | null> =>
  deps.Order.findOne({ number, ...placed }, hidden).lean<TracedOrder | null>()
