import { maxAttempts } from '../../../schemas/retry-table.ts'
import { countStored } from '../../businesses/quotas.ts'
import { environmentOf } from '../../metrics/metrics.ts'
import { noDeadline } from '../../mongo/batchers.ts'
import { bytesOf } from '../../mongo/bytes-of.ts'
import type { Deps } from '../../platform/deps.ts'
import { type BodySource, composeBody, composeData } from '../body.ts'
import { hostOf } from '../deliveries/delivery.ts'
import { deliveryJob, endpointIdOf } from '../deliveries/delivery-job.ts'
import { isReceiving } from '../endpoints/endpoint.ts'
import type { Attempt } from '../sender/send.ts'
import { type AttemptEndpoint, type ClaimedDelivery, giveBack, slotOwner, type Verdict } from './batchers.ts'
import { signFor } from './sign.ts'
import type { Slot } from './slots.ts'

/** What an attempt at a delivery needs, from its claim to its recorded result. */
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
export function beginAttempt(deps: AttemptDeps, delivery: ClaimedDelivery, slot: Slot, read?: BodySource): void {
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
 * Composes, signs and sends the body of one attempt, and records the result (SPEC 6.2 to 6.4). A failure of the
 * endpoint is a result rather than an error. If MongoDB fails, the attempt does not count, and a worker takes over the
 * delivery when the lease ends.
 */
async function attemptDelivery(
  deps: AttemptDeps,
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
  deps: AttemptDeps,
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
  slot.free(sent.stage === null)
  const attempts = delivery.attempts + 1
  const endedAt = deps.now()
  const verdict = judge(sent, scheduled(attempts, delivery.requeues), deps.config.webhookRetryMs, endedAt)
  const outcome = verdict.status.toLowerCase()
  span.end(attempts, outcome, sent)
  const record = { at, url, ...sent }
  const { _id: deliveryId, event: webhookEvent, referenceNumber: reference, requestId = null, sandbox } = delivery
  // Test keys, which alone could select test events at a live endpoint, must not learn its responses.
  const isSelectable = endpoint.sandbox === sandbox
  const result = { delivery, ...verdict, attempt: record, isSelectable }
  const isRecorded = deps.leases.holds(delivery) && (await deps.batchers.recordResult(result, noDeadline))
  const { status, stage, durationMs } = sent
  const { nextAttemptAt } = verdict
  // If the attempt lost its lease, its result was not recorded. The log line then contains neither a stage nor the time
  // of the next attempt. It never contains the endpoint's response.
  const shown = isRecorded
    ? { outcome, attempts, stage, nextAttemptAt }
    : { outcome: 'lease-lost', attempts: delivery.attempts, stage: null, nextAttemptAt: null }
  const labels = { outcome: shown.outcome }
  deps.metrics.attempts.inc({ ...labels, stage: shown.stage ?? 'none', environment: environmentOf(delivery) })
  deps.metrics.attemptDuration.observe(labels, durationMs / 1000)
  const about = { deliveryId, webhookEvent, reference, host: hostOf(endpoint), requestId, traceId: span.traceId }
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
 * Determines the outcome of an attempt. `attempts` is the attempt number, starting at 1 and not counting manually
 * requested attempts. The wait for the next attempt begins at `endedAt` (SPEC 6.4), whatever the endpoint's Retry-After
 * header says. `steps` contains the wait times from the retry table, in milliseconds.
 */
function judge(sent: Attempt, attempts: number, steps: readonly number[], endedAt: Date): Verdict {
  if (sent.stage === null) return { ...times, status: 'DELIVERED', deliveredAt: endedAt }
  const wait = steps[attempts - 1]
  if (attempts >= maxAttempts || wait === undefined) return { ...times, status: 'DEAD', deadAt: endedAt }
  return { ...times, status: 'RETRYING', nextAttemptAt: new Date(endedAt.getTime() + wait) }
}

/**
 * Returns the current step in the retry table. Manually requested attempts are made in addition to those in the table,
 * so they do not advance the step.
 */
const scheduled = (attempts: number, requeues: number): number => Math.max(1, attempts - requeues)

/** Cancels a delivery whose endpoint has been deleted or disabled, or whose intent or order no longer exists. */
async function cancel(
  deps: Pick<Deps, 'batchers' | 'log' | 'now'>,
  delivery: ClaimedDelivery,
  missing: 'endpoint' | 'source',
): Promise<void> {
  const { _id: deliveryId, referenceNumber: reference, event: webhookEvent } = delivery
  const result = { delivery, ...times, status: 'CANCELLED', cancelledAt: deps.now(), attempt: null } as const
  await deps.batchers.recordResult(result, noDeadline)
  const fields = { deliveryId, webhookEvent, reference }
  // The clean-up removes the deliveries before the intent or order that they belong to, so this intent or order must
  // have been removed by hand.
  if (missing === 'source') deps.log.error(fields, 'webhook.source-missing')
  else deps.log.info(fields, 'webhook.cancelled')
}

/**
 * Starts the span of an attempt, which belongs to the trace of the request that caused the event. Must be called just
 * before the request is sent to the endpoint. `traceId` is undefined if tracing is off.
 */
function traceAttempt({ tracing }: Pick<Deps, 'tracing'>, delivery: ClaimedDelivery) {
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
