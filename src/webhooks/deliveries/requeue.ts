import { type Actor, auditLine } from '../../audit/audit-event.ts'
import { publishAudit } from '../../audit/publish.ts'
import type { Deps } from '../../deps.ts'
import { recorded } from '../../idempotency/effect.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { type Endpoint, isReceiving } from '../endpoints/endpoint.ts'
import type { Delivery } from './delivery.ts'
import { deliveryJob } from './delivery-job.ts'
import { isLeased } from './lease.ts'

/** Who re-queues. `actId` is the same for each retry of one request, so that it takes effect once. */
export interface Requeuer {
  actor: Actor
  actId: string
}

/** The outcome for one delivery, or the reason why it was not re-queued. */
export type Requeued = 'requeued' | 'not-found' | 'delivered' | 'under-way' | 'endpoint-gone'

/** Deliveries per bulk write. */
export const requeueBatch = 500

/**
 * The fields that the checks, the audit event and the wake-up job need. Omits the facts, the attempt log, and all effects (up to 1 000) but
 * that of this request.
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
  askedAfterAttempts: 1,
  nextAttemptAt: 1,
  leaseToken: 1,
  effects: { $setIntersection: ['$effects', [actId]] },
  unaudited: 1,
})
type Candidate = Pick<Delivery, '_id' | keyof ReturnType<typeof neededFields>>

type RequeueDeps = Pick<Deps, 'Delivery' | 'Endpoint' | 'AuditEvent' | 'now' | 'enqueue'>

/**
 * Makes up to `requeueBatch` deliveries due now, for one more attempt each. A DEAD or CANCELLED delivery becomes RETRYING; for a delivery that
 * waits, the next attempt comes earlier. The change and its audit line are one write; the job only wakes a worker. A delivery does not change if
 * it was delivered, is due or being attempted, or if its endpoint is deleted or disabled. The outcome says why.
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
  // Includes those of an earlier run of this request, which may have been killed here.
  const mine = after.filter(({ effects }) => effects.includes(by.actId))
  wakeDue(deps, mine, now)
  await publishAudit(deps, deps.Delivery, mine)
  return outcomes
}

const read = (deps: RequeueDeps, which: object, { actId }: Requeuer): Promise<Candidate[]> =>
  nativeCollection(deps.Delivery)
    .find<Candidate>(which, { projection: neededFields(actId) })
    .toArray()

/** The ids of the endpoints that are neither deleted nor disabled. */
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
  return isOnItsWay(delivery) || isDue(delivery, now) || isLeased(delivery, now) ? 'under-way' : 'requeued'
}

/** Whether the first attempt, or one requested by hand, is still to come. Another re-queue would raise `requeues` but add no attempt. */
const isOnItsWay = ({ status, attempts, askedAfterAttempts }: Candidate): boolean =>
  status === 'PENDING' || (status === 'RETRYING' && attempts === askedAfterAttempts)

const isDue = ({ nextAttemptAt }: Candidate, now: Date): boolean =>
  nextAttemptAt !== null && nextAttemptAt <= now

/** Judges after the write. A delivery that could have been re-queued but was not has changed meanwhile, by an attempt or another re-queue. */
function judgeAgain(delivery: Candidate, receiving: Receiving, by: Requeuer, now: Date): Requeued {
  const verdict = judge(delivery, receiving, by, now)
  return verdict === 'requeued' && !delivery.effects.includes(by.actId) ? 'under-way' : verdict
}

/** Wakes workers for the deliveries that are still due. */
function wakeDue(deps: RequeueDeps, deliveries: Candidate[], now: Date): void {
  const due = deliveries.filter((each) => isDue(each, now))
  if (due.length > 0)
    deps.enqueue(
      'webhook-delivery',
      due.map((delivery) => deliveryJob(delivery, now)),
    )
}

/** The guard has all fields that were read, so that `before` in the audit line is correct. */
function requeueWrite(before: Candidate, { actor, actId }: Requeuer, now: Date) {
  const {
    _id,
    businessId,
    sandbox,
    status,
    attempts,
    requeues,
    askedAfterAttempts,
    nextAttemptAt,
    leaseToken,
  } = before
  // The delivery was cancelled before a requested attempt was made, so this requests the same attempt again.
  const isSameAttempt = attempts === askedAfterAttempts
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
          askedAfterAttempts: attempts,
          // The clean-up may have passed this delivery already. Without this it would not look at it again.
          ...(sandbox ? {} : { untrimmed: true }),
        },
        $inc: { requeues: isSameAttempt ? 0 : 1 },
        $push: { unaudited: line, ...recorded(actId) },
      },
    },
  }
}
