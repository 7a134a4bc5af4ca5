import type { QueueWorker } from './run/queue-worker.ts'
import { runDelivery } from './run/run-delivery.ts'

/** The same for receivers that are slow or always fail, so that they keep nobody waiting but each other. */
export const webhookDeliverySlow: QueueWorker<'webhook-delivery-slow'> = {
  queue: 'webhook-delivery-slow',
  run: (deps, data, about) => runDelivery(deps, 'webhook-delivery-slow', data, about),
}
