import { countStored } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { environmentOf } from '../../metrics/metrics.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import { bytesOf } from '../../mongo/bytes-of.ts'
import { type BodySource, composeBody, composeData } from '../body/compose.ts'
import { type AttemptRecord, hostOf } from '../deliveries/delivery.ts'
import { endpointIdOf } from '../deliveries/delivery-id.ts'
import { deliveryJob } from '../deliveries/delivery-job.ts'
import { isReceiving } from '../endpoints/endpoint.ts'
import { type ClaimedDelivery, giveBack } from './claim.ts'
import { type AttemptEndpoint, slotOwner } from './find-endpoint.ts'
import { signFor } from './sign.ts'
import type { Slot } from './slots.ts'
import { judge, recordOf, statusAfter, type Verdict } from './verdict.ts'

/**
 * The minimum time that must be left on a lease when its attempt starts. The first renewal may be up to 3 s away, so
 * the lease must last longer than that. If less time is left because MongoDB was slow, the attempt is not started, and
 * a worker takes over the delivery when the lease ends.
 */
const minLeaseMs = 5_000

/**
 * Starts an attempt at a delivery that this process has claimed, or has inserted with a lease. Does not wait for the
 * attempt, but registers it with `deps.backgroundWork`, so that a process that is shutting down waits for it.
 * Reads the fields that the body needs, unless the caller has read them.
 */
export function beginAttempt(deps: Deps, delivery: ClaimedDelivery, slot: Slot, read?: BodySource): void {
  deps.leases.hold(delivery)
  deps.backgroundWork.add(
    attemptDelivery(deps, delivery, slot, read)
      .catch((err: unknown) => deps.log.warn({ err, deliveryId: delivery._id }, 'webhook.interrupted'))
      .finally(() => {
        slot.free(null)
        deps.leases.release(delivery)
      }),
  )
}

/**
 * Composes, signs and sends the body of one attempt, and records the result (SPEC 6.2 to 6.4). A failure of the
 * endpoint is a result rather than an error. If MongoDB fails, the attempt does not count, and a worker takes over the
 * delivery when the lease ends.
 */
async function attemptDelivery(
  deps: Deps,
  delivery: ClaimedDelivery,
  slot: Slot,
  read: BodySource | undefined,
): Promise<void> {
  if (delivery.nextAttemptAt.getTime() - deps.now().getTime() < minLeaseMs) return
  // The endpoint must be read after the delivery has been claimed, so that no attempt is sent to an endpoint that was
  // deleted before the claim.
  const endpoint = await deps.batchers.findEndpoint(endpointIdOf(delivery._id), noDeadline)
  if (endpoint === null || !isReceiving(endpoint)) return cancel(deps, delivery, 'endpoint')
  const source = read ?? (await deps.batchers.findBodySource(delivery.referenceNumber, noDeadline))
  if (source === null) return cancel(deps, delivery, 'source')
  const data = composeData(delivery, source)
  if (!slot.count(data)) {
    deps.slots.setWaiting(slotOwner(endpoint))
    return giveBack(deps, delivery)
  }
  await send(deps, delivery, endpoint, composeBody(delivery, data), slot)
}

async function send(
  deps: Deps,
  delivery: ClaimedDelivery,
  endpoint: AttemptEndpoint,
  body: string,
  slot: Slot,
): Promise<void> {
  const at = deps.now()
  const { businessId: owner, url } = endpoint
  const headers = signFor(deps, endpoint, delivery, body, at)
  const span = traceAttempt(deps, delivery)
  const onStart = (abort: () => void): void => deps.leases.onLost(delivery, abort)
  const sent = await deps.sender.send({ owner, url, headers, body, onStart })
  deps.leases.onRequestEnd(delivery)
  slot.free(sent.outcome === 'delivered')
  const attempts = delivery.attempts + 1
  const endedAt = deps.now()
  const verdict = judge(sent, scheduled(attempts, delivery.requeues), deps.config.webhookRetryMs, endedAt)
  const record = recordOf(at, url, sent)
  span.end(attempts, verdict.outcome, record)
  const { outcome, ...times } = verdict
  const { sandbox } = delivery
  // Test keys, which alone could select test events at a live endpoint, must not learn its responses.
  const isSelectable = endpoint.sandbox === sandbox
  const result = { delivery, status: statusAfter[outcome], ...times, attempt: record, isSelectable }
  const isRecorded = deps.leases.holds(delivery) && (await deps.batchers.recordResult(result, noDeadline))
  const recorded = isRecorded ? outcome : 'lease-lost'
  // If the attempt lost its lease, its result was not recorded. The log line then contains neither a stage nor the time
  // of the next attempt.
  const shown = isRecorded
    ? { attempts, nextAttemptAt: times.nextAttemptAt, record }
    : { attempts: delivery.attempts, nextAttemptAt: null, record: { ...record, stage: null } }
  reportAttempt(deps, delivery, { url, outcome: recorded, ...shown, traceparent: span.traceparent })
  if (!isRecorded) return
  countStored(deps, delivery, { bytes: bytesOf(record) })
  const { stage, status, durationMs } = record
  const noted = {
    endpointId: endpoint._id,
    outcome,
    at: endedAt,
    stage,
    status,
    durationMs,
  }
  deps.healthNotes.note(noted)
  if (outcome === 'delivered') return
  const { nextAttemptAt } = times
  const waiting = { ...delivery, attempts, nextAttemptAt, url, lastAttempt: record }
  deps.enqueue('webhook-delivery', [deliveryJob(waiting, deps.now())])
}

/**
 * Returns the current step in the retry table. Manually requested attempts are made in addition to those in the table,
 * so they do not advance the step.
 */
const scheduled = (attempts: number, requeues: number): number => Math.max(1, attempts - requeues)

/** Cancels a delivery whose endpoint has been deleted or disabled, or whose intent or order no longer exists. */
async function cancel(deps: Deps, delivery: ClaimedDelivery, missing: 'endpoint' | 'source'): Promise<void> {
  const { _id: deliveryId, referenceNumber, event: webhookEvent } = delivery
  const ended = { nextAttemptAt: null, deliveredAt: null, deadAt: null, cancelledAt: deps.now() }
  await deps.batchers.recordResult({ delivery, status: 'CANCELLED', ...ended, attempt: null }, noDeadline)
  const fields = { deliveryId, webhookEvent, reference: referenceNumber }
  // The clean-up removes the deliveries before the intent or order that they belong to, so this intent or order must
  // have been removed by hand.
  if (missing === 'source') deps.log.error(fields, 'webhook.source-missing')
  else deps.log.info(fields, 'webhook.cancelled')
}

interface AttemptReport {
  url: string
  outcome: Verdict['outcome'] | 'lease-lost'
  attempts: number
  nextAttemptAt: Date | null
  record: AttemptRecord
  traceparent: string | null
}

/** Counts an attempt and writes its log line. The endpoint's response is not logged. */
function reportAttempt(
  { metrics, log }: Pick<Deps, 'metrics' | 'log'>,
  delivery: ClaimedDelivery,
  { url, outcome, attempts, nextAttemptAt, record, traceparent }: AttemptReport,
): void {
  const { _id: deliveryId, event: webhookEvent, referenceNumber: reference, requestId = null } = delivery
  const { status, stage, durationMs } = record
  metrics.attempts.inc({ outcome, stage: stage ?? 'none', environment: environmentOf(delivery) })
  metrics.attemptDuration.observe({ outcome }, durationMs / 1000)
  const host = hostOf({ url })
  const about = { deliveryId, webhookEvent, reference, host, outcome }
  // A traceparent has the form `version-trace-span-flags`.
  const traceId = traceparent?.split('-')[1]
  log.info({ ...about, attempts, status, stage, durationMs, nextAttemptAt, requestId, traceId }, 'webhook.attempted')
}

/**
 * Starts the span of an attempt, which belongs to the trace of the request that caused the event. Must be called just
 * before the request is sent to the endpoint. `traceparent` is null if tracing is off.
 */
function traceAttempt({ tracing }: Pick<Deps, 'tracing'>, delivery: ClaimedDelivery) {
  const { _id: deliveryId, event: webhookEvent, sandbox, requestId, traceparent = null } = delivery
  const span = tracing?.begin('attempt', 'call', traceparent)
  return {
    traceparent: span?.traceparent ?? null,
    end(attempts: number, outcome: Verdict['outcome'], { status, stage }: AttemptRecord): void {
      const facts = { deliveryId, webhookEvent, sandbox, requestId, attempts, outcome, status, stage }
      span?.end({ facts, failed: outcome !== 'delivered' })
    },
  }
}
