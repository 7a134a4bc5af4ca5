import { removeSuperseded, type WakeOutcome, wakeDelivery } from '../src/webhooks/attempts/attempt-due.ts'
import { countsOf } from '../src/webhooks/deliveries/delivery.ts'
import type { NextStep, QueueWorker } from './run/queue-worker.ts'

/** When the attempt ends, it writes its own log line (src/webhooks/attempts/attempt.ts). */
export const webhookDelivery: QueueWorker<'webhook-delivery'> = {
  queue: 'webhook-delivery',
  async run(deps, data, { jobId, name }) {
    const delivery = countsOf(jobId)
    const woken = await wakeDelivery(deps, delivery)
    await removeSuperseded(deps, [delivery])
    return {
      nextStep: nextStepAfter(woken),
      event: 'webhook.wake-up',
      isNoise: true,
      log: {
        deliveryId: delivery._id,
        webhookEvent: name,
        reference: data.ref,
        host: data.host,
        outcome: woken.outcome,
      },
    }
  },
}

function nextStepAfter(woken: WakeOutcome): NextStep {
  if (woken.outcome === 'dead') return { next: 'fail', reason: woken.reason }
  return woken.outcome === 'not-due' ? { next: 'later', at: woken.again } : { next: 'complete' }
}
