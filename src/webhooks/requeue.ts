import type { Actor } from '../audit/audit-event.ts'
import { publishAudit } from '../audit/publish.ts'
import { pastMongoose } from '../collection.ts'
import type { Deps } from '../deps.ts'
import { newId } from '../ids.ts'
import { type Delivery, openStatuses } from './delivery.ts'
import { deliveryJob } from './delivery-job.ts'
import { type Endpoint, isReceiving } from './endpoint.ts'

/** Who asks for one more attempt. `actId` is the same for every try of one request, so that it is done once. */
export interface Requeuer {
  actor: Actor
  actId: string
}

/** What became of one delivery, or why there is nothing to do for it. */
export type Requeued = 'requeued' | 'not-found' | 'delivered' | 'under-way' | 'endpoint-gone'

/** At most this many deliveries at a time: one bulk write, and a trail that can be followed. */
export const requeueBatch = 500

/** What the judgement and the line in the trail need. */
const neededFields = {
  businessId: 1,
  endpointId: 1,
  event: 1,
  referenceNumber: 1,
  host: 1,
  status: 1,
  attempts: 1,
  redrives: 1,
  nextAttemptAt: 1,
  lease: 1,
  effects: 1,
  unaudited: 1,
}

/** How many acts a delivery remembers. */
const longestMemory = 50

type RequeueDeps = Pick<Deps, 'Delivery' | 'Endpoint' | 'AuditEvent' | 'now' | 'nudge'>

/**
 * Asks for one more attempt now, at up to `requeueBatch` deliveries: a DEAD or CANCELLED one comes to life for it, one that waits is
 * brought forward. The change and its audit line are one write; the job is only a nudge. A delivery that was delivered, is
 * being attempted, or whose endpoint is gone or switched off stays as it is, and the answer says so.
 */
export async function requeueDeliveries(
  deps: RequeueDeps,
  ids: readonly string[],
  by: Requeuer,
): Promise<Map<string, Requeued>> {
  const found = await read(deps, { _id: { $in: ids } })
  const receiving = await receivingEndpoints(deps, found)
  const now = deps.now()
  const outcomes = new Map<string, Requeued>(ids.map((id) => [id, 'not-found']))
  for (const delivery of found) outcomes.set(delivery._id, judge(delivery, receiving, by, now))
  const wanted = found.filter(
    ({ _id, effects }) => outcomes.get(_id) === 'requeued' && !effects.includes(by.actId),
  )
  if (wanted.length === 0) return outcomes
  await pastMongoose(deps.Delivery).bulkWrite(
    wanted.map((delivery) => requeueWrite(delivery, by, now)),
    { ordered: false },
  )
  const changed = await read(deps, { _id: { $in: wanted.map(({ _id }) => _id) }, effects: by.actId })
  await publishAudit(deps, deps.Delivery, changed)
  deps.nudge(
    'webhook-delivery',
    changed.map((delivery) => deliveryJob(delivery, now)),
  )
  // Somebody was quicker: an attempt began, or it was re-queued already.
  const done = new Set(changed.map(({ _id }) => _id))
  for (const { _id } of wanted) if (!done.has(_id)) outcomes.set(_id, 'under-way')
  return outcomes
}

const read = (deps: RequeueDeps, which: object): Promise<Delivery[]> =>
  deps.Delivery.find(which, neededFields).lean<Delivery[]>()

async function receivingEndpoints(deps: RequeueDeps, deliveries: Delivery[]): Promise<Set<string>> {
  const ids = [...new Set(deliveries.map(({ endpointId }) => endpointId))]
  const endpoints = await deps.Endpoint.find({ _id: { $in: ids } }, { active: 1, deletedAt: 1 }).lean<
    Endpoint[]
  >()
  return new Set(endpoints.filter(isReceiving).map(({ _id }) => _id))
}

function judge(delivery: Delivery, receiving: Set<string>, by: Requeuer, now: Date): Requeued {
  if (delivery.effects.includes(by.actId)) return 'requeued'
  if (delivery.status === 'DELIVERED') return 'delivered'
  if (!receiving.has(delivery.endpointId)) return 'endpoint-gone'
  const isOpen = (openStatuses as readonly string[]).includes(delivery.status)
  const isDue = delivery.nextAttemptAt !== null && delivery.nextAttemptAt <= now
  const isLeased = delivery.lease !== null && delivery.lease.until > now
  return isOpen && (isDue || isLeased) ? 'under-way' : 'requeued'
}

/** Guarded by all that was read, so that `before` in the trail is what it was. */
function requeueWrite(before: Delivery, { actor, actId }: Requeuer, now: Date) {
  const { _id, businessId, status, redrives, nextAttemptAt } = before
  const after = { status: 'RETRYING', nextAttemptAt: now } as const
  const line = {
    _id: newId(),
    at: now,
    actor,
    act: 'delivery.requeued',
    subject: _id,
    businessId,
    before: { status, nextAttemptAt },
    after,
  }
  return {
    updateOne: {
      filter: {
        _id,
        status,
        redrives,
        nextAttemptAt,
        effects: { $ne: actId },
        $or: [{ lease: null }, { 'lease.until': { $lte: now } }],
      },
      update: {
        $set: { ...after, deadAt: null },
        $inc: { redrives: 1 },
        $push: { unaudited: line, effects: { $each: [actId], $slice: -longestMemory } },
      },
    },
  }
}
