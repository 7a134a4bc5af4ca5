import { auditLine, type By } from '../../audit/audit-event.ts'
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
export interface Requeuer extends By {
  actId: string
  /** Whether the act has one audit line for all deliveries instead of one for each, as each replay has. */
  hasOneLine?: boolean
  replay?: { includesDelivered: boolean }
}

/** `requeued` if a delivery was re-queued, otherwise the reason why it was not. */
export type Requeued = 'requeued' | 'not-found' | 'delivered' | 'under-way' | 'endpoint-gone'

/** The maximum number of deliveries in one bulk write. */
export const requeueBatch = 500

/**
 * The fields that are needed for the checks, the audit line and the wake-up job. The facts and the attempt log are left
 * out. The delivery may have 1 000 effects, but only the effect of this request is included.
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
 * Makes up to `requeueBatch` deliveries due now for one more attempt each. A DEAD or CANCELLED delivery becomes
 * RETRYING, and so does a DELIVERED one if a replay includes it. If a delivery is waiting for its next attempt, that
 * attempt is brought forward. The change is written together with its audit line, and the job only wakes a worker. A
 * delivery is left unchanged if it has been delivered, is already due or is being attempted, or if its endpoint is
 * deleted or disabled. The outcome for such a delivery is the reason why it was not re-queued.
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
  // This list includes deliveries that an earlier run of the same request re-queued, because that run may have been
  // killed before it woke the workers and wrote the audit lines.
  const requeued = after.filter(({ effects }) => effects.includes(by.actId))
  wakeDue(deps, requeued, now)
  await publishAudit(deps, deps.Delivery, requeued)
  return outcomes
}

const read = (deps: RequeueDeps, filter: object, { actId }: Requeuer): Promise<Candidate[]> =>
  nativeCollection(deps.Delivery)
    .find<Candidate>(filter, { projection: neededFields(actId) })
    .toArray()

/** The ids of the endpoints to which events may be sent, because they are neither deleted nor disabled. */
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
  if (delivery.status === 'DELIVERED' && by.replay?.includesDelivered !== true) return 'delivered'
  if (!receiving.has(delivery.endpointId)) return 'endpoint-gone'
  return isAttemptPending(delivery) || isDue(delivery, now) || isLeased(delivery, now) ? 'under-way' : 'requeued'
}

/**
 * Whether the first attempt, or an attempt that was requested manually, has no result yet. If so, another re-queue
 * would increase `requeues` without adding an attempt.
 */
const isAttemptPending = ({ status, attempts, attemptsAtRequeue }: Candidate): boolean =>
  status === 'PENDING' || (status === 'RETRYING' && attempts === attemptsAtRequeue)

const isDue = ({ nextAttemptAt }: Candidate, now: Date): boolean => nextAttemptAt !== null && nextAttemptAt <= now

/**
 * Returns the outcome for a delivery after the write. If the delivery could have been re-queued but was not, an attempt
 * or another re-queue has changed it between the read and the write.
 */
function judgeAgain(delivery: Candidate, receiving: Receiving, by: Requeuer, now: Date): Requeued {
  const verdict = judge(delivery, receiving, by, now)
  return verdict === 'requeued' && !delivery.effects.includes(by.actId) ? 'under-way' : verdict
}

/** Enqueues jobs that wake workers for the deliveries that are still due. */
function wakeDue(deps: RequeueDeps, deliveries: Candidate[], now: Date): void {
  const due = deliveries.filter((delivery) => isDue(delivery, now))
  if (due.length > 0)
    deps.enqueue(
      'webhook-delivery',
      due.map((delivery) => deliveryJob(delivery, now)),
    )
}

/**
 * Returns the write for one delivery. The filter contains the values that were read, so that nothing is written if they
 * have changed, and `before` in the audit line is always correct.
 */
function requeueWrite(
  before: Candidate,
  { actId, replay, hasOneLine = replay !== undefined, ...by }: Requeuer,
  now: Date,
) {
  const { _id, businessId, sandbox, status, attempts, requeues, attemptsAtRequeue, nextAttemptAt, leaseToken } = before
  // If the last re-queue requested an attempt that was cancelled before it was made, this re-queue requests that same
  // attempt again.
  const isSameAttempt = attempts === attemptsAtRequeue
  const after = { status: 'RETRYING', nextAttemptAt: now } as const
  const line = auditLine({
    at: now,
    ...by,
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
          deliveredAt: null,
          deadAt: null,
          attemptsAtRequeue: attempts,
          // The clean-up may already have processed this delivery, and without this field it would not check the
          // delivery again.
          ...(sandbox ? {} : { untrimmed: true }),
        },
        $unset: { cancelledAt: 1 } as const,
        $inc: { requeues: isSameAttempt ? 0 : 1 },
        $push: { ...(hasOneLine ? {} : { unaudited: line }), ...recorded(actId) },
      },
    },
  }
}
