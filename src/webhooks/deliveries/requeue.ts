import type { mongo } from 'mongoose'
import type { AuditLineInput } from '../../audit/audit-event.ts'
import { type AuditContext, type AuditedDeps, runAudited } from '../../audit/audited.ts'
import {
  createRequestMark,
  freshKeysSince,
  isFreshMark,
  type WriteRequest,
} from '../../idempotency/request.ts'
import { rawCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { newId } from '../../platform/ids.ts'
import type { Author } from '../../security/actor.ts'
import { receivesEvents } from '../endpoints/endpoint.ts'
import type { Delivery } from './delivery.ts'
import { isLeased, newDeliveryJob } from './delivery.ts'
import * as planning from './requeue-plan.ts'

export type RequeueOutcomes = Map<string, planning.RequeueOutcome>

export const requeueBatchSize = 500

/** A plan that is still open after this time belongs to a dead process. */
const planMs = 10_000
const mostPlans = 20

type RequeueCandidate = Omit<Delivery, 'facts' | 'attemptLog'>
const projection = { facts: 0, attemptLog: 0 } as const

export type PlanDeps = Pick<Deps, 'Delivery' | 'RequeuePlan'>
export type RequeueDeps = PlanDeps & AuditedDeps & Pick<Deps, 'Endpoint' | 'enqueue'>

interface RequeueAct {
  by: Author
  request?: Pick<WriteRequest, 'key' | 'paramsHash' | 'arrivedAt' | 'deadlineAt'>
  /** A retry by filter writes one audit line in total. */
  summarise?: (outcomes: RequeueOutcomes) => { result: planning.BulkRetryResult; line: AuditLineInput }
}

/**
 * Skips deliveries that are delivered, due or being attempted. The others count
 * as re-queued once the plan is stored, because a poll can carry it out.
 */
export async function planAndRequeue(deps: RequeueDeps, ids: readonly string[], act: RequeueAct) {
  const { by, request } = act
  if (ids.length === 0 && !request) return { plan: null, outcomes: new Map() as RequeueOutcomes }
  const documents = request ? [request.key, ...ids] : ids
  const options = { by, documents, deadlineAt: request?.deadlineAt }
  const { plan, chosen, outcomes } = await runAudited(deps, options, (audit) =>
    makePlan(deps, ids, act, audit),
  )
  if (plan !== null) await carryOutPlan(deps, plan)
  wakeDue(deps, chosen)
  return { plan, outcomes }
}

export interface OutcomeCounts {
  requeued: number
  skipped: Partial<Record<Exclude<planning.RequeueOutcome, 'requeued'>, number>>
}

export function countOutcomes(
  outcomes: RequeueOutcomes,
  before: OutcomeCounts = { requeued: 0, skipped: {} },
): OutcomeCounts {
  const counts = { ...before, skipped: { ...before.skipped } }
  for (const outcome of outcomes.values())
    if (outcome === 'requeued') counts.requeued += 1
    else counts.skipped[outcome] = (counts.skipped[outcome] ?? 0) + 1
  return counts
}

/** Used by staff and operators. Writes an audit line per delivery. */
export const requeueDeliveries = async (deps: RequeueDeps, ids: readonly string[], by: Author) =>
  (await planAndRequeue(deps, ids, { by })).outcomes

async function makePlan(
  deps: RequeueDeps,
  ids: readonly string[],
  { request, summarise }: RequeueAct,
  { session, at, add }: AuditContext,
): Promise<{ plan: planning.RequeuePlan | null; chosen: RequeueCandidate[]; outcomes: RequeueOutcomes }> {
  const plans = rawCollection(deps.RequeuePlan)
  const open = plans.find(
    { 'deliveries._id': { $in: [...ids] } },
    { projection: { 'deliveries._id': 1 }, session },
  )
  const planned = new Set(
    (await open.toArray()).flatMap(({ deliveries }) => deliveries.map(({ _id }) => _id)),
  )
  const found = await readForRequeue(deps, ids, session)
  const judged = await judgeAll(deps, found, { planned, includesDelivered: false, now: at, session })
  const chosen = found.filter(({ _id }) => judged.get(_id) === 'requeued')
  const outcomes: RequeueOutcomes = new Map(ids.map((id) => [id, judged.get(id) ?? 'not_found']))
  const summary = summarise?.(outcomes)
  const isRetry = request !== undefined && (summary !== undefined || found.length > 0)
  if (chosen.length === 0 && !isRetry) return { plan: null, chosen, outcomes }
  const plan: planning.RequeuePlan = {
    _id: newId(),
    at,
    deliveries: chosen.map(stateOf),
    outcome: request && !summary ? (judged.get(ids[0] ?? '') ?? null) : null,
    result: summary?.result ?? null,
    ...(request && { requestKey: createRequestMark(request, at) }),
  }
  if (request) {
    const old = {
      'requestKey.key': request.key,
      'requestKey.at': { $lte: freshKeysSince(request.arrivedAt) },
    }
    await plans.updateOne(old, { $unset: { requestKey: 1 } }, { session })
  }
  await plans.insertOne(plan, { session })
  if (chosen.length > 0)
    await add(...(summary ? [summary.line] : chosen.map((delivery) => requeueLine(delivery, at))))
  return { plan, chosen, outcomes }
}

const requeueLine = (
  { _id, businessId, status, nextAttemptAt }: RequeueCandidate,
  at: Date,
): AuditLineInput => ({
  act: 'delivery.requeued',
  subject: _id,
  businessId,
  before: { status, nextAttemptAt },
  after: { status: 'RETRYING', nextAttemptAt: at },
})

/** Carries out the plan of an earlier request with the same key. */
export async function resumeRequeue(deps: PlanDeps, { key, arrivedAt }: WriteRequest) {
  const plan = await rawCollection(deps.RequeuePlan).findOne({ 'requestKey.key': key })
  if (!plan?.requestKey || !isFreshMark(plan.requestKey, arrivedAt)) return null
  await carryOutPlan(deps, plan)
  return plan
}

export async function finishRequeues(deps: PlanDeps & Pick<Deps, 'now'>): Promise<number> {
  const left = await rawCollection(deps.RequeuePlan)
    .find({ 'deliveries._id': { $exists: true }, at: { $lte: new Date(deps.now().getTime() - planMs) } })
    .hint(planning.openPlanIndex)
    .limit(mostPlans)
    .toArray()
  for (const plan of left) await carryOutPlan(deps, plan)
  return left.length
}

/** This can run twice: the second time, no state matches the plan. */
async function carryOutPlan(deps: PlanDeps, { _id, at, deliveries }: planning.RequeuePlan): Promise<void> {
  if (deliveries.length === 0) return
  await writeDue(deps, deliveries, at, {})
  await rawCollection(deps.RequeuePlan).updateOne({ _id }, { $set: { deliveries: [] } })
}

/** Returns the ids that this replay has re-queued, even in an earlier run. */
export async function requeueForReplay(
  deps: Pick<Deps, 'Delivery' | 'Endpoint' | 'now'>,
  found: readonly RequeueCandidate[],
  { replayId, includesDelivered }: { replayId: string; includesDelivered: boolean },
): Promise<string[]> {
  const now = deps.now()
  const judged = await judgeAll(deps, found, { planned: new Set(), includesDelivered, now })
  const isOwn = ({ requeuedBy }: RequeueCandidate): boolean => requeuedBy === replayId
  const wanted = found.filter((each) => !isOwn(each) && judged.get(each._id) === 'requeued')
  await writeDue(deps, wanted.map(stateOf), now, { requeuedBy: replayId })
  const ids = found.map(({ _id }) => _id)
  const after = await readForRequeue(deps, ids)
  return after.filter(isOwn).map(({ _id }) => _id)
}

interface Conditions {
  planned: ReadonlySet<string>
  includesDelivered: boolean
  now: Date
  session?: mongo.ClientSession
}

async function judgeAll(
  { Endpoint: model }: Pick<Deps, 'Endpoint'>,
  found: readonly RequeueCandidate[],
  { planned, includesDelivered, now, session }: Conditions,
) {
  const ids = [...new Set(found.map(({ endpointId }) => endpointId))]
  const endpoints = await rawCollection(model)
    .find({ _id: { $in: ids } }, { projection: { active: 1, deletedAt: 1 }, ...(session && { session }) })
    .toArray()
  const receiving = new Set(endpoints.filter(receivesEvents).map(({ _id }) => _id))
  return new Map(
    found.map((each) => [
      each._id,
      planned.has(each._id) ? 'under_way' : judge(each, receiving, includesDelivered, now),
    ]),
  )
}

export const readForRequeue = (
  { Delivery: model }: Pick<Deps, 'Delivery'>,
  ids: readonly string[],
  session?: mongo.ClientSession,
) =>
  rawCollection(model)
    .find<RequeueCandidate>({ _id: { $in: [...ids] } }, { projection, ...(session && { session }) })
    .toArray()

function judge(
  delivery: RequeueCandidate,
  receiving: ReadonlySet<string>,
  includesDelivered: boolean,
  now: Date,
): Exclude<planning.RequeueOutcome, 'not_found'> {
  if (delivery.status === 'DELIVERED' && !includesDelivered) return 'delivered'
  if (!receiving.has(delivery.endpointId)) return 'endpoint_gone'
  const { nextAttemptAt } = delivery
  const isDue = nextAttemptAt !== null && nextAttemptAt <= now
  return isAttemptPending(delivery) || isDue || isLeased(delivery, now) ? 'under_way' : 'requeued'
}

/** A requested attempt without a result can't be requested again. */
const isAttemptPending = ({ status, attempts, attemptsAtRequeue }: RequeueCandidate): boolean =>
  status === 'PENDING' || (status === 'RETRYING' && attempts === attemptsAtRequeue)

const stateOf = (delivery: RequeueCandidate): planning.DeliveryState => {
  const { _id, status, attempts, requeues, nextAttemptAt, leaseToken, cancelledAt = null } = delivery
  return { _id, status, attempts, requeues, nextAttemptAt, leaseToken, cancelledAt }
}

async function writeDue(
  { Delivery: model }: Pick<Deps, 'Delivery'>,
  states: planning.DeliveryState[],
  at: Date,
  more: { requeuedBy?: string },
): Promise<void> {
  if (states.length === 0) return
  const change = {
    ...more,
    status: 'RETRYING',
    nextAttemptAt: at,
    deliveredAt: null,
    deadAt: null,
    attemptsAtRequeue: '$attempts',
    requeues: { $add: ['$requeues', { $cond: [{ $eq: ['$attempts', '$attemptsAtRequeue'] }, 0, 1] }] },
    // If the clean-up has trimmed the delivery, it must do so again.
    untrimmed: { $cond: ['$sandbox', '$untrimmed', true] },
  }
  await rawCollection(model).bulkWrite(
    states.map((state) => ({
      updateOne: {
        filter: state as mongo.Filter<Delivery>,
        update: [{ $set: change }, { $unset: 'cancelledAt' }],
      },
    })),
    { ordered: false },
  )
}

function wakeDue(deps: Pick<Deps, 'enqueue' | 'now'>, deliveries: RequeueCandidate[]): void {
  if (deliveries.length === 0) return
  const now = deps.now()
  deps.enqueue(
    'webhook-delivery',
    deliveries.map((delivery) => {
      // Requesting a cancelled attempt again isn't counted as another re-queue.
      const isSameAttempt = delivery.attempts === delivery.attemptsAtRequeue
      const requeues = delivery.requeues + (isSameAttempt ? 0 : 1)
      return newDeliveryJob({ ...delivery, requeues, nextAttemptAt: now }, now)
    }),
  )
}

/**
 * The filter must exclude deliveries that die after the call. Otherwise some
 * would be re-queued twice.
 */
export async function* requeueByFilter(
  deps: RequeueDeps,
  filter: Record<string, unknown>,
  by: Author,
): AsyncGenerator<RequeueOutcomes> {
  const cursor = deps.Delivery.find(filter, { _id: 1 })
    .lean<{ _id: string }[]>()
    .cursor({ batchSize: requeueBatchSize })
  try {
    let ids: string[] = []
    for await (const { _id } of cursor) {
      ids.push(_id)
      if (ids.length < requeueBatchSize) continue
      yield await requeueDeliveries(deps, ids, by)
      ids = []
    }
    if (ids.length > 0) yield await requeueDeliveries(deps, ids, by)
  } finally {
    await cursor.close()
  }
}
