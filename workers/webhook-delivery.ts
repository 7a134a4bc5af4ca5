import { removeStaleJobs, wakeDelivery } from '../src/webhooks/attempts/attempt-due.ts'
import { parseJobId } from '../src/webhooks/deliveries/delivery.ts'
import type { QueueWorker } from './run/run-job.ts'

export const webhookDeliveryWorker: QueueWorker<'webhook-delivery'> = {
  async run(deps, { ref: reference, host }, { jobId, name: webhookEvent }) {
    const delivery = parseJobId(jobId)
    const woken = await wakeDelivery(deps, delivery)
    await removeStaleJobs(deps, [delivery])
    return {
      ...(woken.outcome === 'dead' && { failure: woken.reason }),
      againAt: woken.outcome === 'not-due' ? woken.again : null,
      event: 'webhook.wake-up',
      isNoise: true,
      log: { deliveryId: delivery._id, webhookEvent, reference, host, outcome: woken.outcome },
    }
  },
}
