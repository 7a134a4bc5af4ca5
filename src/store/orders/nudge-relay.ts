import type { Deps } from '../../deps.ts'
import type { Order } from './order.ts'

/** Wakes the relay for an order with an event in its outbox. Lost nudges are found by the sweep. */
export function nudgeOrderRelay(deps: Pick<Deps, 'nudge'>, order: Pick<Order, '_id'>): void {
  deps.nudge('outbox-relay', [
    { data: { intentIds: [], orderIds: [order._id] }, jobId: undefined, delayMs: 0 },
  ])
}
