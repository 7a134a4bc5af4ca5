import { maxAttempts } from '../../../schemas/deliveries.ts'
import { countStorage } from '../../businesses/quotas.ts'
import { createByIdBatcher, createInserter, noDeadline } from '../../mongo/batchers.ts'
import { measureBson } from '../../mongo/collection.ts'
import type { Deps, Models } from '../../platform/deps.ts'
import { modeOf } from '../../platform/mode.ts'
import { type Delivery, endpointIdOf, hostOf, newDeliveryJob } from '../deliveries/delivery.ts'
import * as leases from '../deliveries/lease.ts'
import { type DeliveryRecord, deliveryRowFields } from '../deliveries/present.ts'
import { type Endpoint, receivesEvents } from '../endpoints/endpoint.ts'
import { maskHeaderValues } from '../endpoints/endpoint-facts.ts'
import {
  type BodySource,
  composeBody,
  composeEventData,
  createBodySourceBatcher,
  headersForEndpoint,
} from '../message.ts'
import type { SentAttempt } from '../sender/send.ts'
import { type AttemptSlot, slotOwnerOf } from './slots.ts'

export type AttemptDeps = Pick<Deps, 'Delivery' | 'batchers' | 'config' | 'counters' | 'now' | 'secrets'> &
  Pick<Deps, 'backgroundWork' | 'enqueue' | 'healthNotes' | 'leases' | 'sender' | 'slots'> &
  Pick<Deps, 'log' | 'metrics' | 'tracing'>

export type AttemptEndpoint = Omit<Endpoint, 'attemptHours' | 'outbox'>

/** The lease's first renewal may be 3 s away. */
const minLeaseMs = 5_000

/** `read` is the source of the body, if the caller has already read it. */
export function beginAttempt(
  deps: AttemptDeps,
  delivery: leases.LeasedDelivery,
  slot: AttemptSlot,
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

/** If MongoDB fails, the attempt doesn't count and is repeated (SPEC 6.2). */
async function attemptDelivery(
  deps: AttemptDeps,
  delivery: leases.LeasedDelivery,
  slot: AttemptSlot,
  read: BodySource | undefined,
): Promise<void> {
  if (delivery.nextAttemptAt.getTime() - deps.now().getTime() < minLeaseMs) return
  // Read after the lease was taken, so a deleted endpoint gets no request.
  const endpoint = await deps.batchers.findEndpoint(endpointIdOf(delivery._id), noDeadline)
  if (endpoint === null || !receivesEvents(endpoint)) return cancel(deps, delivery, 'endpoint')
  const source = read ?? (await deps.batchers.findBodySource(delivery.referenceNumber, noDeadline))
  if (source === null) return cancel(deps, delivery, 'source')
  const data = composeEventData(delivery, source)
  const length = data.length + (endpoint.headers?.encrypted.length ?? 0)
  if (!slot.count({ length })) {
    deps.slots.setWaiting(slotOwnerOf(endpoint))
    return leases.endLease(deps, delivery)
  }
  await send(deps, delivery, endpoint, composeBody(delivery, data), slot)
}

async function send(
  deps: AttemptDeps,
  delivery: leases.LeasedDelivery,
  endpoint: AttemptEndpoint,
  body: string,
  slot: AttemptSlot,
): Promise<void> {
  const at = deps.now()
  const { businessId: owner, url } = endpoint
  const headers = headersForEndpoint(deps, endpoint, delivery, body, at)
  const { _id: deliveryId, event: webhookEvent, referenceNumber: reference, sandbox } = delivery
  const { requestId = null, traceparent = null } = delivery
  const span = deps.tracing?.begin('attempt', 'call', traceparent)
  const onStart = (abort: () => void): void => deps.leases.onLost(delivery, abort)
  const sent = await deps.sender.send({ owner, url, headers, body, onStart })
  deps.leases.onRequestEnd(delivery)
  const { status, stage, durationMs } = sent
  slot.free(stage === null)
  const attempts = delivery.attempts + 1
  const endedAt = deps.now()
  const position = retryTableStep(attempts, delivery.requeues)
  const verdict = judgeAttempt(sent, position, deps.config.webhookRetryMs, endedAt)
  const { nextAttemptAt } = verdict
  const about = { deliveryId, webhookEvent, requestId, status }
  const ended = { outcome: verdict.status.toLowerCase(), attempts, stage }
  span?.end({ facts: { ...about, sandbox, ...ended }, failed: stage !== null })
  const custom = endpoint.headers?.names.map((name) => headers[name] ?? '') ?? []
  const responseText = maskHeaderValues(sent.responseText ?? '', custom)
  const record = { at, url, ...sent, ...(sent.responseText && { responseText }) }
  // Test keys must not allow filtering by a live endpoint's responses.
  const result = { delivery, ...verdict, attempt: record, isSelectable: endpoint.sandbox === sandbox }
  const isRecorded = deps.leases.holds(delivery) && (await deps.batchers.recordResult(result, noDeadline))
  // Without the lease, no result is recorded, so none is logged either.
  const logged = isRecorded
    ? { ...ended, nextAttemptAt }
    : { outcome: 'lease-lost', attempts: delivery.attempts, stage: null, nextAttemptAt: null }
  const { outcome } = logged
  const labels = { outcome, stage: logged.stage ?? 'none', environment: modeOf(delivery) }
  deps.metrics.attempts.inc(labels)
  deps.metrics.attemptDuration.observe({ outcome }, durationMs / 1000)
  const traceId = span?.traceId
  const line = { ...about, reference, host: hostOf(endpoint), traceId, ...logged, durationMs }
  deps.log.info(line, 'webhook.attempted')
  if (!isRecorded) return
  countStorage(deps, delivery, { bytes: measureBson(record) })
  deps.healthNotes.note({ ...record, endpointId: endpoint._id, at: endedAt })
  if (stage === null) return
  const waiting = { ...delivery, attempts, nextAttemptAt, url, lastAttempt: record }
  deps.enqueue('webhook-delivery', [newDeliveryJob(waiting, deps.now())])
}

const times = { nextAttemptAt: null, deliveredAt: null, deadAt: null }

/** The wait starts at the end of the attempt (SPEC 6.4). */
export function judgeAttempt(
  sent: SentAttempt,
  attempts: number,
  steps: readonly number[],
  endedAt: Date,
): leases.AttemptVerdict {
  if (sent.stage === null) return { ...times, status: 'DELIVERED', deliveredAt: endedAt }
  const wait = steps[attempts - 1]
  if (attempts >= maxAttempts || wait === undefined) return { ...times, status: 'DEAD', deadAt: endedAt }
  return { ...times, status: 'RETRYING', nextAttemptAt: new Date(endedAt.getTime() + wait) }
}

/** Re-queued attempts don't advance the retry table. */
export const retryTableStep = (attempts: number, requeues: number): number => Math.max(1, attempts - requeues)

async function cancel(deps: AttemptDeps, delivery: leases.LeasedDelivery, missing: 'endpoint' | 'source') {
  const { _id: deliveryId, referenceNumber: reference, event: webhookEvent } = delivery
  const result = { delivery, ...times, status: 'CANCELLED', cancelledAt: deps.now(), attempt: null } as const
  await deps.batchers.recordResult(result, noDeadline)
  const fields = { deliveryId, webhookEvent, reference }
  // The clean-up removes deliveries first, so the source was removed by hand.
  if (missing === 'source') deps.log.error(fields, 'webhook.source-missing')
  else deps.log.info(fields, 'webhook.cancelled')
}

export const openWebhookBatchers = (
  models: Pick<Models, 'Endpoint' | 'Delivery' | 'Intent' | 'Order'>,
  now: () => Date,
) => ({
  findEndpoint: createByIdBatcher<Endpoint, AttemptEndpoint>(models.Endpoint, { attemptHours: 0, outbox: 0 }),
  insertDelivery: createInserter(models.Delivery),
  lookAtDelivery: createByIdBatcher<Delivery, DeliveryRecord>(models.Delivery, deliveryRowFields),
  leaseDelivery: leases.createLeaseBatcher(models.Delivery, now),
  recordResult: leases.createResultBatcher(models.Delivery),
  findBodySource: createBodySourceBatcher(models),
})
