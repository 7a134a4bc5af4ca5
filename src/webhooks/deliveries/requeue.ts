import { type Actor, auditLine } from '../../audit/audit-event.ts'
import { publishAudit } from '../../audit/publish.ts'
import { pastMongoose } from '../../collection.ts'
import type { Deps } from '../../deps.ts'
import { recorded } from '../../idempotency/effect.ts'
import { type Endpoint, isReceiving } from '../endpoints/endpoint.ts'
import type { Delivery } from './delivery.ts'
import { deliveryJob } from './delivery-job.ts'
import { isLeased } from './lease.ts'

/** Who asks for one more attempt. `actId` is the same for every try of one request, so that it is done once. */
export interface Requeuer {
  actor: Actor
  actId: string
}

/** What became of one delivery, or why there is nothing to do for it. */
export type Requeued = 'requeued' | 'not-found' | 'delivered' | 'under-way' | 'endpoint-gone'

/** At most this many deliveries at a time: one bulk write, and a trail that can be followed. */
export const requeueBatch = 500

/**
 * The fields that the checks, the audit event and the wake-up job need. Leaves out the facts, the attempt log and all effects (up to 1 000)
 * except the one of this action.
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
  redrives: 1,
  askedAfterAttempts: 1,
  nextAttemptAt: 1,
  leaseToken: 1,
  effects: { $setIntersection: ['$effects', [actId]] },
  unaudited: 1,
})
type Candidate = Pick<Delivery, '_id' | keyof ReturnType<typeof neededFields>>

type RequeueDeps = Pick<Deps, 'Delivery' | 'Endpoint' | 'AuditEvent' | 'now' | 'nudge'>

/**
 * Asks for one more attempt now, at up to `requeueBatch` deliveries: a DEAD or CANCELLED one comes to life for it, one that waits for
 * its next attempt is brought forward. The change and its audit line are one write; the job is only a nudge. A delivery that was
 * delivered, is due or being attempted, or whose endpoint is gone or switched off stays as it is, and the answer says so.
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
  await pastMongoose(deps.Delivery).bulkWrite(
    wanted.map((delivery) => requeueWrite(delivery, by, now)),
    { ordered: false },
  )
  const after = await read(deps, { _id: { $in: wanted.map(({ _id }) => _id) } }, by)
  for (const delivery of after) outcomes.set(delivery._id, judgeAgain(delivery, receiving, by, now))
  // Also of an earlier try of this act, which may have been killed here.
  const mine = after.filter(({ effects }) => effects.includes(by.actId))
  wakeDue(deps, mine, now)
  await publishAudit(deps, deps.Delivery, mine)
  return outcomes
}

const read = (deps: RequeueDeps, which: object, { actId }: Requeuer): Promise<Candidate[]> =>
  pastMongoose(deps.Delivery)
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

/** Its first attempt, or one asked for by hand, is still to come: asked for twice, it would use up two of the counts and be one. */
const isOnItsWay = ({ status, attempts, askedAfterAttempts }: Candidate): boolean =>
  status === 'PENDING' || (status === 'RETRYING' && attempts === askedAfterAttempts)

const isDue = ({ nextAttemptAt }: Candidate, now: Date): boolean =>
  nextAttemptAt !== null && nextAttemptAt <= now

/** After the write: what could be re-queued and was not has changed meanwhile, by an attempt or by somebody quicker. */
function judgeAgain(delivery: Candidate, receiving: Receiving, by: Requeuer, now: Date): Requeued {
  const verdict = judge(delivery, receiving, by, now)
  return verdict === 'requeued' && !delivery.effects.includes(by.actId) ? 'under-way' : verdict
}

/** Wakes the workers for those whose attempt is still to come. */
function wakeDue(deps: RequeueDeps, deliveries: Candidate[], now: Date): void {
  const due = deliveries.filter((each) => isDue(each, now))
  if (due.length > 0)
    deps.nudge(
      'webhook-delivery',
      due.map((delivery) => deliveryJob(delivery, now)),
    )
}

/** Guarded by all that was read, so that `before` in the trail is what it was. */
function requeueWrite(before: Candidate, { actor, actId }: Requeuer, now: Date) {
  const {
    _id,
    businessId,
    sandbox,
    status,
    attempts,
    redrives,
    askedAfterAttempts,
    nextAttemptAt,
    leaseToken,
  } = before
  // Cancelled before the attempt that was asked for: it is the same one again, and its job has ended.
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
        redrives,
        nextAttemptAt,
        leaseToken,
        effects: { $ne: actId },
      },
      update: {
        $set: {
          ...after,
          deadAt: null,
          askedAfterAttempts: attempts,
          // The clean-up may have been here already, and does not come again by itself.
          ...(sandbox ? {} : { untrimmed: true }),
        },
        $inc: { redrives: isSameAttempt ? 0 : 1 },
        $push: { unaudited: line, ...recorded(actId) },
      },
    },
  }
}
