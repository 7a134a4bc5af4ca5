import type { Deps } from '../../deps.ts'
import { type Order, placed } from './order.ts'

/** An order for support staff: without its customer and the facts of its event. */
export type TracedOrder = Omit<Order, 'customer' | 'tryId'>

const hidden = { customer: 0, tryId: 0, 'outbox.facts': 0 }

/** The order with this number, of whichever business and environment. */
export const lookUpOrder = (deps: Pick<Deps, 'Order'>, number: string): Promise<TracedOrder | null> =>
  deps.Order.findOne({ number, ...placed }, hidden).lean<TracedOrder | null>()
