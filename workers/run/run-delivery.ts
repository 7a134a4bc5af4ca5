import type { Deps } from '../../src/deps.ts'
import { type DeliveryLane, deliveryLanes, type Jobs } from '../../src/jobs.ts'
import { deliverInTurn, type InTurn } from '../../src/webhooks/deliver-in-turn.ts'
import { olderJobIds, redrivesOf } from '../../src/webhooks/delivery-job.ts'
import { retryPriority } from '../../src/webhooks/priority.ts'
import type { Done, JobAbout, NextStep } from './queue-worker.ts'

/** One attempt at one delivery, in either lane; when it fails, the next one after the wait of SPEC 6.4. */
export async function runDelivery(
  deps: Deps,
  lane: DeliveryLane,
  { deliveryId, event, reference, host }: Jobs[DeliveryLane],
  { jobId, hasWaited }: JobAbout,
): Promise<Done> {
  const redrives = redrivesOf(jobId)
  const delivered = await deliverInTurn(deps, { deliveryId, redrives, lane, hasWaited })
  if (redrives > 0) await deps.queues.standing.remove(deliveryLanes, olderJobIds(deliveryId, redrives))
  return {
    nextStep: nextStepAfter(delivered),
    event: 'webhook.attempted',
    isNoise: delivered.outcome === 'put-off' || delivered.outcome === 'moved',
    log: { deliveryId, webhookEvent: event, reference, host, ...told(delivered) },
  }
}

function nextStepAfter(delivered: InTurn): NextStep {
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
      return { next: 'again', at: delivered.nextAttemptAt, priority: retryPriority(delivered.failuresInRow) }
    case 'moved':
      return { next: 'move', to: 'webhook-delivery-slow' }
    case 'not-due':
    case 'leased':
    case 'lease-lost':
    case 'put-off':
      return { next: 'later', at: delivered.nextAttemptAt }
  }
}

/** The receiver's words stay out of the log. */
function told(delivered: InTurn): Record<string, unknown> {
  const { outcome, nextAttemptAt } = delivered
  if (!('attempt' in delivered)) return { outcome, nextAttemptAt }
  const { status, stage, durationMs } = delivered.attempt
  return { outcome, attempts: delivered.attempts, status, stage, receiverMs: durationMs, nextAttemptAt }
}
