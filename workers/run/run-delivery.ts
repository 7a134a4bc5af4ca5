import type { Deps } from '../../src/deps.ts'
import { type DeliveryLane, deliveryLanes, type Jobs } from '../../src/jobs.ts'
import { deliverInTurn, type InTurn } from '../../src/webhooks/attempts/deliver-in-turn.ts'
import { retryPriority } from '../../src/webhooks/attempts/priority.ts'
import { deliveryIdOf, olderJobIds, redrivesOf } from '../../src/webhooks/deliveries/delivery-job.ts'
import type { Done, JobAbout, NextStep } from './queue-worker.ts'

type DeliveryData = Jobs[DeliveryLane]

/** One attempt at one delivery, in either lane; when it fails, the next one after the wait of SPEC 6.4. */
export async function runDelivery(
  deps: Deps,
  lane: DeliveryLane,
  data: DeliveryData,
  { jobId, name }: JobAbout,
): Promise<Done> {
  const [deliveryId, redrives] = [deliveryIdOf(jobId), redrivesOf(jobId)]
  const hasWaited = data.putOff === true
  const delivered = await deliverInTurn(deps, { deliveryId, redrives, lane, hasWaited })
  const nextStep = nextStepAfter(delivered, data)
  const hasEnded = nextStep.next === 'complete' || nextStep.next === 'fail'
  if (hasEnded || 'attempt' in delivered) await tidy(deps, jobId)
  return {
    nextStep,
    event: 'webhook.attempted',
    isNoise: delivered.outcome === 'put-off' || delivered.outcome === 'moved',
    log: { deliveryId, webhookEvent: name, reference: data.ref, host: data.host, ...told(delivered) },
    traces: 'attempt' in delivered && delivered.traceparent !== null ? [delivered.traceparent] : [],
  }
}

function nextStepAfter(delivered: InTurn, data: DeliveryData): NextStep {
  switch (delivered.outcome) {
    case 'delivered':
    case 'cancelled':
    case 'nothing-to-do':
      return { next: 'complete' }
    case 'dead': {
      const { attempts, attempt } = delivered
      return { next: 'fail', reason: `attempt ${attempts}: ${attempt.error ?? `status ${attempt.status}`}` }
    }
    case 'dead-already':
      return { next: 'fail', reason: 'all attempts failed' }
    case 'retrying': {
      const { nextAttemptAt: at, failuresInRow } = delivered
      return { next: 'later', at, priority: retryPriority(failuresInRow), ...marked(data, false) }
    }
    case 'moved':
      return { next: 'move', to: 'webhook-delivery-slow' }
    case 'put-off':
      return { next: 'later', at: delivered.nextAttemptAt, ...marked(data, true) }
    case 'not-due':
    case 'leased':
    case 'lease-lost':
      return { next: 'later', at: delivered.nextAttemptAt }
  }
}

/** The job's data as it is to be; nothing where it is so already, which spares a trip. */
function marked({ putOff, ...words }: DeliveryData, isPutOff: boolean): { data?: DeliveryData } {
  if ((putOff === true) === isPutOff) return {}
  return { data: isPutOff ? { ...words, putOff: true } : words }
}

/** The jobs that re-queues left behind. They do nothing, so failing here must not cost the attempt its line in the log. */
const tidy = (deps: Deps, jobId: string): Promise<void> =>
  redrivesOf(jobId) === 0
    ? Promise.resolve()
    : deps.queues.standing
        .remove(deliveryLanes, olderJobIds(jobId))
        .catch((err) => deps.log.warn({ err, jobId }, 'jobs.not-tidied'))

/** The receiver's words stay out of the log. */
function told(delivered: InTurn): Record<string, unknown> {
  const { outcome, nextAttemptAt } = delivered
  if (!('attempt' in delivered)) return { outcome, nextAttemptAt }
  const { attempts, requestId } = delivered
  const { status, stage, durationMs } = delivered.attempt
  return { outcome, attempts, status, stage, receiverMs: durationMs, nextAttemptAt, requestId }
}
