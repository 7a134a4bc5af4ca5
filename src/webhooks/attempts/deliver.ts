import type { Deps } from '../../deps.ts'
import { noHurry } from '../../group-commit/lane.ts'
import { environmentOf } from '../../metrics/metrics.ts'
import { type BodySource, bodyOf } from '../body/compose.ts'
import { type AttemptRecord, openStatuses } from '../deliveries/delivery.ts'
import { isLeased } from '../deliveries/lease.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { ClaimedDelivery, Which } from './claim.ts'
import type { Place } from './flow.ts'
import { signFor } from './sign.ts'
import { traceAttempt } from './trace-attempt.ts'
import { judge, recordOf, statusAfter, type Verdict } from './verdict.ts'

/** How a call went: an attempt and what it means, or why there was none and when to call again. */
export type Delivered =
  | (Verdict & {
      attempt: AttemptRecord
      attempts: number
      failuresInRow: number
      /** Of the request that caused the event, if it was one. */
      requestId: string | null
      /** Where it is traced, the attempt's own. */
      traceparent: string | null
    })
  | { outcome: 'not-due' | 'leased' | 'lease-lost'; nextAttemptAt: Date }
  | { outcome: 'cancelled' | 'dead-already' | 'nothing-to-do'; nextAttemptAt: null }

/**
 * With less of the lease left no attempt begins: it might be over before its first renewal, 3 s ahead. MongoDB was slow then, and is given
 * the time.
 */
const leastLeaseMs = 5000

/**
 * Makes one attempt at a delivery, if it is due and nobody else's, in a place at its receiver: claim with a lease, sign, POST, record
 * (SPEC 6.2 to 6.4). A receiver that fails is a result, not an error; only a broken MongoDB throws, and then no attempt counts.
 */
export async function deliver(
  deps: Deps,
  which: Which,
  endpoint: Endpoint,
  place: Place,
): Promise<Delivered> {
  const delivery = await deps.lanes.claimDelivery(which, noHurry)
  if (delivery === null) return whyNotClaimed(deps, which)
  const { until } = delivery.lease
  if (until.getTime() - deps.now().getTime() < leastLeaseMs)
    return { outcome: 'leased', nextAttemptAt: until }
  deps.leases.hold(delivery)
  try {
    const source = await deps.lanes.findBodySource(delivery.referenceNumber, noHurry)
    if (source === null) return await cancelWithoutSource(deps, delivery)
    return await makeAttempt(deps, delivery, source, { endpoint, place })
  } finally {
    deps.leases.release(delivery)
  }
}

async function makeAttempt(
  deps: Deps,
  delivery: ClaimedDelivery,
  source: BodySource,
  { endpoint, place }: { endpoint: Endpoint; place: Place },
): Promise<Delivered> {
  const at = deps.now()
  const { _id: endpointId, businessId: owner, url } = endpoint
  const body = bodyOf(delivery, source)
  const headers = signFor(deps, endpoint, delivery.event, body, at)
  const span = traceAttempt(deps, delivery)
  const sent = await place.attempt(() => deps.sender.send({ owner, url, headers, body }))
  const attempts = delivery.attempts + 1
  const endedAt = deps.now()
  const { webhookRetryMs } = deps.config
  const verdict = judge(sent, scheduledAttempts(attempts, delivery.redrives), webhookRetryMs, endedAt)
  const { outcome, nextAttemptAt, deliveredAt, deadAt } = verdict
  const record = recordOf(at, url, sent)
  span.end(attempts, outcome, record)
  const result = {
    delivery,
    status: statusAfter[outcome],
    nextAttemptAt,
    deliveredAt,
    deadAt,
    attempt: record,
  }
  // Frozen for so long that another took over: what this one saw counts for nothing.
  const isRecorded = await deps.lanes.recordResult(result, noHurry)
  countAttempt(deps, delivery, isRecorded ? outcome : 'lease-lost', record)
  if (!isRecorded) return { outcome: 'lease-lost', nextAttemptAt: endedAt }
  deps.healthNotes.note({
    endpointId,
    outcome,
    at: endedAt,
    stage: record.stage,
    slow: deps.flow.isSlow(endpoint),
  })
  return {
    ...verdict,
    attempt: record,
    attempts,
    failuresInRow: endpoint.health.failuresInRow + 1,
    requestId: delivery.requestId ?? null,
    traceparent: span.traceparent,
  }
}

function countAttempt(
  { metrics }: Pick<Deps, 'metrics'>,
  delivery: ClaimedDelivery,
  outcome: Verdict['outcome'] | 'lease-lost',
  { stage, durationMs }: AttemptRecord,
): void {
  metrics.attempts.inc({ outcome, stage: stage ?? 'none', environment: environmentOf(delivery) })
  metrics.attemptDuration.observe({ outcome }, durationMs / 1000)
}

/** How many of the attempts made belong to the retry table: one asked for by hand comes on top, and repeats the step it stood at. */
const scheduledAttempts = (attempts: number, redrives: number): number => Math.max(1, attempts - redrives)

/** The endpoint is gone or switched off: its open deliveries stop, each when it is due. */
export async function abandon(deps: Deps, which: Which): Promise<Delivered> {
  const delivery = await deps.lanes.claimDelivery(which, noHurry)
  if (delivery === null) return whyNotClaimed(deps, which)
  return cancel(deps, delivery)
}

/** The clean-up removes a source only after its deliveries have ended, so this takes a hand in the database. There is nothing to send. */
function cancelWithoutSource(deps: Deps, delivery: ClaimedDelivery): Promise<Delivered> {
  const { _id: deliveryId, referenceNumber } = delivery
  deps.log.error({ deliveryId, referenceNumber }, 'webhook.source-missing')
  return cancel(deps, delivery)
}

async function cancel(deps: Deps, delivery: ClaimedDelivery): Promise<Delivered> {
  const ended = { nextAttemptAt: null, deliveredAt: null, deadAt: null }
  await deps.lanes.recordResult({ delivery, status: 'CANCELLED', ...ended, attempt: null }, noHurry)
  return { outcome: 'cancelled', nextAttemptAt: null }
}

/** Why there is no attempt to make now; null when there is one. */
export async function whyNotNow(deps: Deps, which: Which): Promise<Delivered | null> {
  const why = await whyNotClaimed(deps, which)
  return why.outcome === 'not-due' && why.nextAttemptAt <= deps.now() ? null : why
}

async function whyNotClaimed(deps: Deps, { deliveryId, redrives }: Which): Promise<Delivered> {
  const delivery = await deps.lanes.lookAtDelivery(deliveryId, noHurry)
  if (delivery === null || delivery.redrives !== redrives)
    return { outcome: 'nothing-to-do', nextAttemptAt: null }
  // Its job must end where support staff look for it, also when the process died right after the last attempt.
  if (delivery.status === 'DEAD') return { outcome: 'dead-already', nextAttemptAt: null }
  const isOpen = (openStatuses as readonly string[]).includes(delivery.status)
  if (!isOpen || delivery.nextAttemptAt === null) return { outcome: 'nothing-to-do', nextAttemptAt: null }
  const { lease } = delivery
  if (lease !== null && isLeased(delivery, deps.now()))
    return { outcome: 'leased', nextAttemptAt: lease.until }
  return { outcome: 'not-due', nextAttemptAt: delivery.nextAttemptAt }
}
