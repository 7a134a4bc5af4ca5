import { type Delivered, deliver } from '../src/webhooks/deliver.ts'
import type { NextStep, QueueWorker } from './run/queue-worker.ts'

/** One attempt at one delivery; when it fails, the next one after the wait of SPEC 6.4. */
export const webhookDelivery: QueueWorker<'webhook-delivery'> = {
  queue: 'webhook-delivery',
  async run(deps, { deliveryId, event, reference, host }) {
    const delivered = await deliver(deps, deliveryId)
    const log = { deliveryId, webhookEvent: event, reference, host, ...told(delivered) }
    return { nextStep: nextStepAfter(delivered), event: 'webhook.attempted', log }
  },
}

function nextStepAfter(delivered: Delivered): NextStep {
  switch (delivered.outcome) {
    case 'delivered':
    case 'cancelled':
    case 'nothing-to-do':
      return { next: 'complete' }
    case 'dead':
      return { next: 'fail', reason: delivered.attempt.error ?? `status ${delivered.attempt.status}` }
    case 'dead-already':
      return { next: 'fail', reason: 'all attempts failed' }
    case 'retrying':
      return { next: 'again', at: delivered.nextAttemptAt }
    case 'not-due':
    case 'leased':
      return { next: 'later', at: delivered.nextAttemptAt }
  }
}

/** The receiver's words stay out of the log. */
function told(delivered: Delivered): Record<string, unknown> {
  const { outcome, nextAttemptAt } = delivered
  if (!('attempt' in delivered)) return { outcome, nextAttemptAt }
  const { status, stage, durationMs } = delivered.attempt
  return { outcome, attempts: delivered.attempts, status, stage, receiverMs: durationMs, nextAttemptAt }
}
