import type { Deps } from '../src/deps.ts'
import { type WakeOutcome, wakeDelivery } from '../src/webhooks/attempts/wake.ts'
import { countsOf, errorOf, supersededJobId } from '../src/webhooks/deliveries/delivery-job.ts'
import type { NextStep, QueueWorker } from './run/queue-worker.ts'

/** Begins the attempt of a due delivery, if there is a slot. The attempt logs its own line (src/webhooks/attempts/attempt.ts). */
export const webhookDelivery: QueueWorker<'webhook-delivery'> = {
  queue: 'webhook-delivery',
  async run(deps, data, { jobId, name }) {
    const { _id: deliveryId, attempts, redrives } = countsOf(jobId)
    const woken = await wakeDelivery(deps, { deliveryId, attempts, redrives })
    await removeSuperseded(deps, jobId)
    return {
      nextStep: nextStepAfter(woken),
      event: 'webhook.woken',
      isNoise: true,
      log: { deliveryId, webhookEvent: name, reference: data.ref, host: data.host, outcome: woken.outcome },
    }
  },
}

function nextStepAfter(woken: WakeOutcome): NextStep {
  switch (woken.outcome) {
    case 'begun':
    case 'cancelled':
    case 'superseded':
      return { next: 'complete' }
    case 'no-slot':
    case 'not-due':
      return { next: 'later', at: woken.again }
    case 'dead': {
      const { attempts, attemptLog } = woken.last
      const last = attemptLog.at(-1)
      return { next: 'fail', reason: `attempt ${attempts}: ${last ? errorOf(last) : 'failed'}` }
    }
  }
}

/** Removes the job that this one replaces. That job would do nothing, so an error here is only logged. */
async function removeSuperseded(deps: Pick<Deps, 'queues' | 'log'>, jobId: string): Promise<void> {
  const superseded = supersededJobId(jobId)
  if (superseded === null) return
  await deps.queues.standing
    .remove('webhook-delivery', [superseded])
    .catch((err: unknown) => deps.log.warn({ err, jobId }, 'jobs.not-tidied'))
}
