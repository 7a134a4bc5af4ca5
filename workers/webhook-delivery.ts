import type { QueueWorker } from './run/queue-worker.ts'
import { runDelivery } from './run/run-delivery.ts'

/** One attempt at one delivery, and the ones after it. */
export const webhookDelivery: QueueWorker<'webhook-delivery'> = {
  queue: 'webhook-delivery',
  run: (deps, data, about) => runDelivery(deps, 'webhook-delivery', data, about),
}
