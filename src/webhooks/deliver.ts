import type { Deps } from '../deps.ts'
import type { ClaimedDelivery } from './claim-delivery.ts'
import { type AttemptRecord, endpointIdOf, openStatuses } from './delivery.ts'
import { type Endpoint, isReceiving } from './endpoint.ts'
import { signedHeaders } from './sign.ts'
import { judge, recordOf, statusAfter, type Verdict } from './verdict.ts'

/** How a call went: an attempt and what it means, or why there was none and when to call again. */
export type Delivered =
  | (Verdict & { attempt: AttemptRecord; attempts: number })
  | { outcome: 'not-due' | 'leased'; nextAttemptAt: Date }
  | { outcome: 'cancelled' | 'dead-already' | 'nothing-to-do'; nextAttemptAt: null }

/** Nobody waits for a worker: its writes may take the time the driver gives them. */
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
  if (endpoint === null || !isReceiving(endpoint)) return abandon(deps, delivery)
  deps.leases.hold(delivery)
  try {
    return await makeAttempt(deps, delivery, endpoint)
  } finally {
    deps.leases.release(delivery)
  }
}

async function makeAttempt(deps: Deps, delivery: ClaimedDelivery, endpoint: Endpoint): Promise<Delivered> {
  const at = deps.now()
  const { webhookHeaderBrand: brand, webhookRetryMs } = deps.config
  const secret = deps.secrets.unseal(endpoint.secret)
  const headers = signedHeaders(brand, secret, delivery.event, delivery.body, at)
  const sent = await deps.sender.send({ url: endpoint.url, headers, body: delivery.body })
  const attempts = delivery.attempts + 1
  const verdict = judge(sent, scheduledAttempts(attempts, delivery.redrives), webhookRetryMs, deps.now())
  const { nextAttemptAt, deliveredAt, deadAt } = verdict
  const record = recordOf(at, endpoint.url, sent)
  const status = statusAfter[verdict.outcome]
  const result = { delivery, status, nextAttemptAt, deliveredAt, deadAt, attempt: record }
  await deps.lanes.recordResult(result, noHurry)
  return { ...verdict, attempt: record, attempts }
}

/** How many of the attempts made belong to the retry table: one asked for by hand comes on top, and repeats the step it stood at. */
const scheduledAttempts = (attempts: number, redrives: number): number => Math.max(1, attempts - redrives)

/** The endpoint is gone or switched off: its open deliveries stop. */
async function abandon(deps: Deps, delivery: ClaimedDelivery): Promise<Delivered> {
  const ended = { nextAttemptAt: null, deliveredAt: null, deadAt: null }
  await deps.lanes.recordResult({ delivery, status: 'CANCELLED', ...ended, attempt: null }, noHurry)
  return { outcome: 'cancelled', nextAttemptAt: null }
}

async function whyNotClaimed(deps: Deps, deliveryId: string): Promise<Delivered> {
  const delivery = await deps.lanes.findDelivery(deliveryId, noHurry)
  // Its job must end where support staff look for it, also when the process died right after the last attempt.
  if (delivery?.status === 'DEAD') return { outcome: 'dead-already', nextAttemptAt: null }
  const isOpen = delivery !== null && (openStatuses as readonly string[]).includes(delivery.status)
  if (!isOpen || delivery.nextAttemptAt === null) return { outcome: 'nothing-to-do', nextAttemptAt: null }
  const lease = delivery.lease
  if (lease !== null && lease.until > deps.now()) return { outcome: 'leased', nextAttemptAt: lease.until }
  return { outcome: 'not-due', nextAttemptAt: delivery.nextAttemptAt }
}
