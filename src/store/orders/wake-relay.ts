import type { Deps } from '../../deps.ts'
import type { Order } from './order.ts'

/** Wakes the relay for an order with an event in its outbox. If the job is lost, a poll finds the event. */
export function wakeOrderRelay(deps: Pick<Deps, 'enqueue'>, order: Pick<Order, '_id'>): void {
  deps.enqueue('outbox-relay', [
    { data: { intentIds: [], orderIds: [order._id] }, jobId: undefined, delayMs: 0 },
  ])
}
