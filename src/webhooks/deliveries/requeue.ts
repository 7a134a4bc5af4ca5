import { type Actor, auditLine } from '../../audit/audit-event.ts'
import { publishAudit } from '../../audit/publish.ts'
import type { Deps } from '../../deps.ts'
import { recorded } from '../../idempotency/effect.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { type Endpoint, isReceiving } from '../endpoints/endpoint.ts'
import type { Delivery } from './delivery.ts'
import { deliveryJob } from './delivery-job.ts'
import { isLeased } from './lease.ts'

/**
 * The person or API key that re-queues deliveries. `actId` must be the same for every retry of a request, so that the
 * request takes effect only once.
 */
export interface Requeuer {
  actor: Actor
  actId: string
}

/** `requeued`, or the reason why a delivery was not re-queued. */
export type Requeued = 'requeued' | 'not-found' | 'delivered' | 'under-way' | 'endpoint-gone'

/** The maximum number of deliveries in one bulk write. */
export const requeueBatch = 500

/**
 * The fields needed by the checks, the audit line and the wake-up job. The facts and the attempt log are left out. Of
 * the delivery's effects, of which there may be 1 000, only this request's effect is included.
 */
const neededFields = (actId: string) => ({
  businessId: 1,
  sandbox: 1,
  endpointId: 1,
  event: 1,
  referenceNumber: 1,
  url: 1,
  status: 1,
  attempts: 1,
  requeues: 1,
  attemptsAtRequeue: 1,
  nextAttemptAt: 1,
  leaseToken: 1,
  effects: { $setIntersection: ['$effects', [actId]] },
  unaudited: 1,
})
type Candidate = Pick<Delivery, '_id' | keyof ReturnType<typeof neededFields>>

type RequeueDeps = Pick<Deps, 'Delivery' | 'Endpoint' | 'AuditEvent' | 'now' | 'enqueue'>

/**
 * Makes up to `requeueBatch` deliveries due now, each for one more attempt. DEAD and CANCELLED deliveries become
 * RETRYING. The next attempt at a waiting delivery is brought forward. The change and its audit line are written
 * together, and the job only wakes a worker. A delivery is left unchanged if it has been delivered, is already due or
 * is being attempted, or if its endpoint is deleted or disabled. In these cases the outcome is the reason.
 */
export async function requeueDeliveries(
  deps: RequeueDeps,
  ids: readonly string[],
  by: Requeuer,
): Promise<Map<string, Requeued>> {
  const before = await read(deps, { _id: { $in: ids } }, by)
  const receiving = await receivingEndpoints(deps, before)
  const now = deps.now()
  const outcomes = new Map<string, Requeued>(ids.map((id) => [id, 'not-found']))
  for (const delivery of before) outcomes.set(delivery._id, judge(delivery, receiving, by, now))
  const wanted = before.filter(({ _id }) => outcomes.get(_id) === 'requeued')
  if (wanted.length === 0) return outcomes
  await nativeCollection(deps.Delivery).bulkWrite(
    wanted.map((delivery) => requeueWrite(delivery, by, now)),
    { ordered: false },
  )
  const after = await read(deps, { _id: { $in: wanted.map(({ _id }) => _id) } }, by)
  for (const delivery of after) outcomes.set(delivery._id, judgeAgain(delivery, receiving, by, now))
  // These include deliveries that were re-queued by an earlier run of this request, because that run may have been
  // killed at exactly this point.
  const requeued = after.filter(({ effects }) => effects.includes(by.actId))
  wakeDue(deps, requeued, now)
  await publishAudit(deps, deps.Delivery, requeued)
  return outcomes
}

const read = (deps: RequeueDeps, filter: object, { actId }: Requeuer): Promise<Candidate[]> =>
  nativeCollection(deps.Delivery)
    .find<Candidate>(filter, { projection: neededFields(actId) })
    .toArray()

/** The ids of those endpoints that are neither deleted nor disabled. */
type Receiving = ReadonlySet<string>

async function receivingEndpoints(deps: RequeueDeps, deliveries: Candidate[]): Promise<Receiving> {
  const ids = [...new Set(deliveries.map(({ endpointId }) => endpointId))]
  const endpoints = await deps.Endpoint.find({ _id: { $in: ids } }, { active: 1, deletedAt: 1 }).lean<
    Pick<Endpoint, '_id' | 'active' | 'deletedAt'>[]
  >()
  return new Set(endpoints.filter(isReceiving).map(({ _id }) => _id))
}

function judge(delivery: Candidate, receiving: Receiving, by: Requeuer, now: Date): Requeued {
  if (delivery.effects.includes(by.actId)) return 'requeued'
  if (delivery.status === 'DELIVERED') return 'delivered'
  if (!receiving.has(delivery.endpointId)) return 'endpoint-gone'
  return isAttemptPending(delivery) || isDue(delivery, now) || isLeased(delivery, now)
    ? 'under-way'
    : 'requeued'
}

/**
 * Whether the result of the first attempt, or of a manually requested attempt, is still outstanding. If so, another
 * re-queue would increase `requeues` without adding an attempt.
 */
const isAttemptPending = ({ status, attempts, attemptsAtRequeue }: Candidate): boolean =>
  status === 'PENDING' || (status === 'RETRYING' && attempts === attemptsAtRequeue)

const isDue = ({ nextAttemptAt }: Candidate, now: Date): boolean =>
  nextAttemptAt !== null && nextAttemptAt <= now

/**
 * Returns a delivery's outcome after the write. If the delivery could have been re-queued but was not, an attempt or
 * another re-queue has changed it in the meantime.
 */
function judgeAgain(delivery: Candidate, receiving: Receiving, by: Requeuer, now: Date): Requeued {
  const verdict = judge(delivery, receiving, by, now)
  return verdict === 'requeued' && !delivery.effects.includes(by.actId) ? 'under-way' : verdict
}

/** Wakes workers for those deliveries that are still due. */
function wakeDue(deps: RequeueDeps, deliveries: Candidate[], now: Date): void {
  const due = deliveries.filter((delivery) => isDue(delivery, now))
  if (due.length > 0)
    deps.enqueue(
      'webhook-delivery',
      due.map((delivery) => deliveryJob(delivery, now)),
    )
}

/**
 * Returns the write for one delivery. Its filter contains the values that were read, so that `before` in the audit line
 * is correct.
 */
function requeueWrite(before: Candidate, { actor, actId }: Requeuer, now: Date) {
  const {
    _id,
    businessId,
    sandbox,
    status,
    attempts,
    requeues,
    attemptsAtRequeue,
    nextAttemptAt,
    leaseToken,
  } = before
  // If an earlier re-queue requested an attempt that was cancelled before it was made, this re-queue requests the same
  // attempt again.
  const isSameAttempt = attempts === attemptsAtRequeue
  const after = { status: 'RETRYING', nextAttemptAt: now } as const
  const line = auditLine({
    at: now,
    actor,
    act: 'delivery.requeued',
    subject: _id,
    businessId,
    before: { status, nextAttemptAt },
    after,
  })
  return {
    updateOne: {
      filter: {
        _id,
        status,
        attempts,
        requeues,
        nextAttemptAt,
        leaseToken,
        effects: { $ne: actId },
      },
      update: {
        $set: {
          ...after,
          deadAt: null,
          attemptsAtRequeue: attempts,
          // The clean-up may already have passed this delivery. Without this field, it would not check the delivery
          // again.
          ...(sandbox ? {} : { untrimmed: true }),
        },
        $inc: { requeues: isSameAttempt ? 0 : 1 },
        $push: { unaudited: line, ...recorded(actId) },
      },
    },
  }
}
