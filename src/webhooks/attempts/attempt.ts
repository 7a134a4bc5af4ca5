import { maxAttempts } from '../../../schemas/deliveries.ts'
import { countStored } from '../../businesses/quotas.ts'
import { environmentOf } from '../../metrics/metrics.ts'
import { noDeadline } from '../../mongo/batchers.ts'
import { bytesOf } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { type BodySource, composeBody, composeData } from '../body.ts'
import { hostOf } from '../deliveries/delivery.ts'
import { deliveryJob, endpointIdOf } from '../deliveries/delivery-job.ts'
import { isReceiving } from '../endpoints/endpoint.ts'
import type { Attempt } from '../sender/send.ts'
import { type AttemptEndpoint, endLease, type LeasedDelivery, slotOwner, type Verdict } from './batchers.ts'
import { signedHeadersFor } from './sign.ts'
import type { Slot } from './slots.ts'

export type AttemptDeps = Pick<
  Deps,
  | 'Delivery'
  | 'backgroundWork'
  | 'batchers'
  | 'config'
  | 'counters'
  | 'enqueue'
  | 'healthNotes'
  | 'leases'
  | 'log'
  | 'metrics'
  | 'now'
  | 'secrets'
  | 'sender'
  | 'slots'
  | 'tracing'
>

/**
 * How much of the lease must be left when the request starts, because its first renewal may be 3 s away. If MongoDB was
 * slow and less is left, no request is sent, and a worker takes over when the lease ends.
 */
const minLeaseMs = 5_000

/**
 * Starts an attempt in the background; a process that is shutting down waits for it. The delivery must be leased to
 * this process. `read` is the body's source, if the caller has already read it.
 */
export function beginAttempt(
  deps: AttemptDeps,
  delivery: LeasedDelivery,
  slot: Slot,
  read?: BodySource,
): void {
  deps.leases.hold(delivery)
  void deps.backgroundWork.add(
    attemptDelivery(deps, delivery, slot, read)
      .catch((err: unknown) => deps.log.warn({ err, deliveryId: delivery._id }, 'webhook.interrupted'))
      .finally(() => {
        slot.free(null)
        deps.leases.release(delivery)
      }),
  )
}

/**
 * Composes, signs and sends one attempt, and records its result (SPEC 6.2 to 6.4). A failure of the endpoint is a
 * result, not an error. If MongoDB fails, the attempt doesn't count, and a worker takes over when the lease ends.
 */
async function attemptDelivery(
  deps: AttemptDeps,
  delivery: LeasedDelivery,
  slot: Slot,
  read: BodySource | undefined,
): Promise<void> {
  if (delivery.nextAttemptAt.getTime() - deps.now().getTime() < minLeaseMs) return
  // Must be read after the lease began, so that an endpoint deleted before gets no request.
  const endpoint = await deps.batchers.findEndpoint(endpointIdOf(delivery._id), noDeadline)
  if (endpoint === null || !isReceiving(endpoint)) return cancel(deps, delivery, 'endpoint')
  const source = read ?? (await deps.batchers.findBodySource(delivery.referenceNumber, noDeadline))
  if (source === null) return cancel(deps, delivery, 'source')
  const data = composeData(delivery, source)
  if (!slot.count(data)) {
    deps.slots.setWaiting(slotOwner(endpoint))
    return endLease(deps, delivery)
  }
  await send(deps, delivery, endpoint, composeBody(delivery, data), slot)
}

async function send(
  deps: AttemptDeps,
  delivery: LeasedDelivery,
  endpoint: AttemptEndpoint,
  body: string,
  slot: Slot,
): Promise<void> {
  const at = deps.now()
  const { businessId: owner, url } = endpoint
  const headers = signedHeadersFor(deps, endpoint, delivery, body, at)
  const span = traceAttempt(deps, delivery)
  const onStart = (abort: () => void): void => deps.leases.onLost(delivery, abort)
  const sent = await deps.sender.send({ owner, url, headers, body, onStart })
  deps.leases.onRequestEnd(delivery)
  slot.free(sent.stage === null)
  const attempts = delivery.attempts + 1
  const endedAt = deps.now()
  const verdict = judge(sent, scheduled(attempts, delivery.requeues), deps.config.webhookRetryMs, endedAt)
  const outcome = verdict.status.toLowerCase()
  span.end(attempts, outcome, sent)
  const record = { at, url, ...sent }
  const {
    _id: deliveryId,
    event: webhookEvent,
    referenceNumber: reference,
    requestId = null,
    sandbox,
  } = delivery
  // Only test keys can select a live endpoint's test events, and they must not learn how a live endpoint responds.
  const isSelectable = endpoint.sandbox === sandbox
  const result = { delivery, ...verdict, attempt: record, isSelectable }
  const isRecorded = deps.leases.holds(delivery) && (await deps.batchers.recordResult(result, noDeadline))
  const { status, stage, durationMs } = sent
  const { nextAttemptAt } = verdict
  // After a lost lease nothing is recorded, so no stage is logged. The endpoint's response never is.
  const shown = isRecorded
    ? { outcome, attempts, stage, nextAttemptAt }
    : { outcome: 'lease-lost', attempts: delivery.attempts, stage: null, nextAttemptAt: null }
  const labels = { outcome: shown.outcome }
  deps.metrics.attempts.inc({ ...labels, stage: shown.stage ?? 'none', environment: environmentOf(delivery) })
  deps.metrics.attemptDuration.observe(labels, durationMs / 1000)
  const about = {
    deliveryId,
    webhookEvent,
    reference,
    host: hostOf(endpoint),
    requestId,
    traceId: span.traceId,
  }
  deps.log.info({ ...about, ...shown, status, durationMs }, 'webhook.attempted')
  if (!isRecorded) return
  countStored(deps, delivery, { bytes: bytesOf(record) })
  deps.healthNotes.note({ ...record, endpointId: endpoint._id, at: endedAt })
  if (stage === null) return
  const waiting = { ...delivery, attempts, nextAttemptAt, url, lastAttempt: record }
  deps.enqueue('webhook-delivery', [deliveryJob(waiting, deps.now())])
}

const times = { nextAttemptAt: null, deliveredAt: null, deadAt: null }

/**
 * `attempts` counts the scheduled attempts, including this one. The wait for the next one starts at `endedAt` (SPEC
 * 6.4), whatever the endpoint's Retry-After says.
 */
function judge(sent: Attempt, attempts: number, steps: readonly number[], endedAt: Date): Verdict {
  if (sent.stage === null) return { ...times, status: 'DELIVERED', deliveredAt: endedAt }
  const wait = steps[attempts - 1]
  if (attempts >= maxAttempts || wait === undefined) return { ...times, status: 'DEAD', deadAt: endedAt }
  return { ...times, status: 'RETRYING', nextAttemptAt: new Date(endedAt.getTime() + wait) }
}

/** Re-queued attempts are made in addition to the retry table, so they don't advance it. */
const scheduled = (attempts: number, requeues: number): number => Math.max(1, attempts - requeues)

/** Called if the endpoint is deleted or disabled, or if the intent or order no longer exists. */
async function cancel(
  deps: Pick<Deps, 'batchers' | 'log' | 'now'>,
  delivery: LeasedDelivery,
  missing: 'endpoint' | 'source',
): Promise<void> {
  const { _id: deliveryId, referenceNumber: reference, event: webhookEvent } = delivery
  const result = { delivery, ...times, status: 'CANCELLED', cancelledAt: deps.now(), attempt: null } as const
  await deps.batchers.recordResult(result, noDeadline)
  const fields = { deliveryId, webhookEvent, reference }
  // The clean-up removes deliveries before their intent or order, so this one must have been removed by hand.
  if (missing === 'source') deps.log.error(fields, 'webhook.source-missing')
  else deps.log.info(fields, 'webhook.cancelled')
}

/**
 * Call this just before the request. The span belongs to the trace of the API request that caused the event. `traceId`
 * is undefined if tracing is off.
 */
function traceAttempt({ tracing }: Pick<Deps, 'tracing'>, delivery: LeasedDelivery) {
  const { _id: deliveryId, event: webhookEvent, sandbox, requestId, traceparent = null } = delivery
  const span = tracing?.begin('attempt', 'call', traceparent)
  return {
    traceId: span?.traceId,
    end(attempts: number, outcome: string, { status, stage }: Attempt): void {
      const facts = { deliveryId, webhookEvent, sandbox, requestId, attempts, outcome, status, stage }
      span?.end({ facts, failed: stage !== null })
    },
  }
}
