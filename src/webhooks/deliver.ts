import type { Deps } from '../deps.ts'
import type { ClaimedDelivery } from './claim-delivery.ts'
import { type AttemptRecord, type Delivery, endpointIdOf, openStatuses } from './delivery.ts'
import type { Endpoint } from './endpoint.ts'
import { waitAfter } from './retry.ts'
import type { Attempt } from './send.ts'
import { signedHeaders } from './sign.ts'

/**
 * How a call went: an attempt with its result, or why there was none. `nextAttemptAt` says when to call again;
 * null at the end of the road.
 */
export type Delivered =
  | {
      outcome: 'delivered' | 'retrying' | 'dead'
      attempt: AttemptRecord
      attempts: number
      nextAttemptAt: Date | null
    }
  | { outcome: 'not-due' | 'leased'; nextAttemptAt: Date }
  | { outcome: 'nothing-to-do' | 'cancelled'; nextAttemptAt: null }

const noHurry = Number.POSITIVE_INFINITY

/**
 * Makes one attempt at a delivery, if it is due and nobody else's: claim with a lease, sign, POST, record (SPEC 6.2
 * to 6.4). A receiver that fails is a result, not an error; only a broken MongoDB throws, and then no attempt counts.
 */
export async function deliver(deps: Deps, deliveryId: string): Promise<Delivered> {
  const [delivery, endpoint] = await Promise.all([
    deps.lanes.claimDelivery(deliveryId, noHurry),
    deps.lanes.findEndpoint(endpointIdOf(deliveryId), noHurry),
  ])
  if (delivery === null) return whyNotClaimed(deps, deliveryId)
  if (endpoint === null || !endpoint.active) return abandon(deps, delivery)
  deps.leases.hold(delivery)
  try {
    return await attempt(deps, delivery, endpoint)
  } finally {
    deps.leases.release(delivery)
  }
}

async function attempt(deps: Deps, delivery: ClaimedDelivery, endpoint: Endpoint): Promise<Delivered> {
  const at = deps.now()
  const secret = deps.secrets.unseal(endpoint.secret)
  const headers = signedHeaders(deps.config.webhookHeaderBrand, secret, delivery.event, delivery.body, at)
  const sent = await deps.sender.send({ url: endpoint.url, headers, body: delivery.body })
  const verdict = judge(deps, delivery, sent)
  const record = asRecord(at, sent)
  await deps.lanes.recordResult({ delivery, attempt: record, ...verdict.change }, noHurry)
  const { outcome } = verdict
  return {
    outcome,
    attempt: record,
    attempts: delivery.attempts + 1,
    nextAttemptAt: verdict.change.nextAttemptAt,
  }
}

/** What a result means: the wait is counted from the end of the failed attempt. */
function judge(deps: Deps, delivery: Delivery, sent: Attempt) {
  const endedAt = deps.now()
  if (sent.outcome === 'delivered')
    return {
      outcome: 'delivered' as const,
      change: { status: 'DELIVERED' as const, nextAttemptAt: null, deliveredAt: endedAt },
    }
  const retryAfter = sent.outcome === 'refused' ? sent.retryAfterSeconds : null
  const wait = waitAfter(delivery.attempts + 1, deps.config.webhookRetryMs, retryAfter)
  if (wait === null)
    return {
      outcome: 'dead' as const,
      change: { status: 'DEAD' as const, nextAttemptAt: null, deliveredAt: null },
    }
  const nextAttemptAt = new Date(endedAt.getTime() + wait)
  return {
    outcome: 'retrying' as const,
    change: { status: 'RETRYING' as const, nextAttemptAt, deliveredAt: null },
  }
}

const asRecord = (at: Date, sent: Attempt): AttemptRecord => ({
  at,
  durationMs: Math.round(sent.durationMs),
  status: sent.outcome === 'unreachable' ? null : sent.status,
  stage: sent.outcome === 'delivered' ? null : sent.outcome === 'refused' ? 'status' : sent.stage,
  error: sent.outcome === 'unreachable' ? sent.reason : null,
  answer: sent.outcome === 'unreachable' ? null : sent.answer,
})

/** The endpoint is gone: its open deliveries stop. */
async function abandon(deps: Deps, delivery: ClaimedDelivery): Promise<Delivered> {
  const change = { status: 'CANCELLED' as const, nextAttemptAt: null, deliveredAt: null, attempt: null }
  await deps.lanes.recordResult({ delivery, ...change }, noHurry)
  return { outcome: 'cancelled', nextAttemptAt: null }
}

async function whyNotClaimed(deps: Deps, deliveryId: string): Promise<Delivered> {
  const delivery = await deps.lanes.findDelivery(deliveryId, noHurry)
  const isOpen = delivery !== null && (openStatuses as readonly string[]).includes(delivery.status)
  if (!isOpen || delivery.nextAttemptAt === null) return { outcome: 'nothing-to-do', nextAttemptAt: null }
  if (delivery.lease !== null && delivery.lease.until > deps.now())
    return { outcome: 'leased', nextAttemptAt: delivery.lease.until }
  return { outcome: 'not-due', nextAttemptAt: delivery.nextAttemptAt }
}
