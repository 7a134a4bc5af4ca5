import { type RetryDeliveriesBody, retryDeliveriesBody, withoutFilter } from '../../../schemas/retry-deliveries.ts'
import { type AuditEvent, auditLine } from '../../audit/audit-event.ts'
import { publishAudit } from '../../audit/publish.ts'
import { byCaller, type Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { refuse } from '../../errors.ts'
import { lifetimeMs, removalMs } from '../../idempotency/claim.ts'
import type { Effect } from '../../idempotency/effect.ts'
import { longestReadMs } from '../../input/pagination.ts'
import { readSpan } from '../../input/span.ts'
import { isDuplicate, nativeCollection } from '../../mongo/collection.ts'
import { withinAuditLines } from '../../quotas/audit-lines.ts'
import type { Delivery } from './delivery.ts'
import { atLiveEndpoints } from './present.ts'
import { type Requeued, requeueBatch, requeueDeliveries } from './requeue.ts'
import { reasons } from './retry.ts'
import type { RetriedMatching, RetryPlan } from './retry-plan.ts'
import { type DeliveryFilter, selectDeliveries } from './select.ts'

/** The filter of a request, and the `next` of an earlier response after which the selection continues. */
export interface RetryFilter extends DeliveryFilter {
  after: string | null
}

/** Validates the body of a request that retries deliveries by filter. */
export function parseRetryFilter(deps: Pick<Deps, 'validate'>, body: unknown): RetryFilter {
  const { after = null, status, ...filters } = deps.validate<RetryDeliveriesBody>(retryDeliveriesBody, body)
  const { event = null, endpointId = null, referenceNumber = null, responseStatus = null } = filters
  const { from, to } = readSpan(filters)
  const named = [status ?? null, event, endpointId, referenceNumber, responseStatus, from, to]
  if (named.every((each) => each === null))
    throw refuse('VALIDATION_ERROR', { param: 'body', message: `body ${withoutFilter}.` })
  const statuses = [...new Set(status ?? (['DEAD'] as const))]
  return { statuses, event, endpointId, referenceNumber, responseStatus, from, to, after }
}

/** The deliveries of one request. */
type Chosen = Pick<RetryPlan, 'deliveryIds' | 'next' | 'result'>

/**
 * Re-queues the caller's deliveries that match, oldest first, at most `requeueBatch`. With a test key, skips those to
 * live endpoints. A request with the `next` of the previous one continues after its last delivery. A series of requests
 * therefore considers each delivery once, even if deliveries become DEAD again in the meantime. A retry of the same
 * request finds its stored plan, so it never re-queues other deliveries.
 */
export async function retryMatching(
  deps: Deps,
  caller: Caller,
  filter: RetryFilter,
  effect: Effect,
): Promise<RetriedMatching> {
  const isGone = (): boolean => performance.now() > effect.deadlineAt
  const selectAs = (): Promise<Chosen> =>
    deps.lists.run(`business ${caller.businessId}`, isGone, (models) => select(models, caller, filter))
  const by = { ...byCaller(caller), actId: effect.id, hasOneLine: true } as const
  // The limit on parallel lists also limits how fast one business can re-queue.
  return deps.lists.shares.run(caller.businessId, isGone, async () => {
    const lineAt = (at: Date, counts: object) => retryLine(caller, filter, effect.id, at, counts)
    const carryOut = async ({ deliveryIds, next, result }: Chosen) =>
      result ?? storeResult(deps, effect.id, resultOf(await requeueDeliveries(deps, deliveryIds, by), next), lineAt)
    const stored = await findPlan(deps, effect.id)
    return withinAuditLines(deps, caller, stored, async () =>
      carryOut(stored ?? (await storePlan(deps, effect.id, await selectAs(), lineAt))),
    )
  })
}

type LineAt = (at: Date, counts: object) => AuditEvent

/** Returns the request's audit line. Its id is the effect id, so that the line is published only once. */
function retryLine(caller: Caller, filter: RetryFilter, effectId: string, at: Date, counts: object): AuditEvent {
  const set = Object.entries(filter).filter(([, value]) => value !== null)
  const about = { act: 'delivery.requeued', subject: caller.businessId, businessId: caller.businessId } as const
  const after = { ...Object.fromEntries(set), ...counts }
  return { ...auditLine({ at, ...byCaller(caller), ...about, after }), _id: effectId }
}

/**
 * Replaces the ids in the plan with the result, so that a program with many requests does not fill the database. A
 * request that re-queued nothing has no audit line.
 */
async function storeResult(
  deps: Pick<Deps, 'RetryPlan' | 'AuditEvent' | 'now'>,
  effectId: string,
  result: RetriedMatching,
  lineAt: LineAt,
): Promise<RetriedMatching> {
  const { requeued, skipped } = result
  const unaudited = requeued === 0 ? [] : [lineAt(deps.now(), { requeued, skipped })]
  const plans = nativeCollection(deps.RetryPlan)
  await plans.updateOne({ _id: effectId }, { $set: { deliveryIds: [], result, unaudited } })
  await publishAudit(deps, deps.RetryPlan, [{ _id: effectId, unaudited }])
  return result
}

function resultOf(outcomes: Map<string, Requeued>, next: string | null): RetriedMatching {
  const result = {
    requeued: 0,
    skipped: { delivered: 0, under_way: 0, endpoint_gone: 0 },
    hasMore: next !== null,
    next,
  }
  for (const outcome of outcomes.values()) {
    // The clean-up has removed the delivery since it was selected.
    if (outcome === 'not-found') continue
    const reason = reasons[outcome]
    if (reason === null) result.requeued += 1
    else result.skipped[reason] += 1
  }
  return result
}

const findPlan = ({ RetryPlan }: Pick<Deps, 'RetryPlan'>, effectId: string): Promise<RetryPlan | null> =>
  RetryPlan.findOne({ _id: effectId }).lean<RetryPlan | null>()

/** How long a sweep leaves the line of a request alone. By then, the request has been completed, or died. */
const maxRunMs = 60_000

/** Stores the request's plan, unless it is empty or another attempt has stored one. Returns the plan to carry out. */
async function storePlan(
  deps: Pick<Deps, 'RetryPlan' | 'now'>,
  effectId: string,
  plan: Chosen,
  lineAt: LineAt,
): Promise<Chosen> {
  // An empty plan re-queues nothing, so a retry may select again.
  if (plan.deliveryIds.length === 0) return plan
  const now = deps.now().getTime()
  const unaudited = [lineAt(new Date(now + maxRunMs), { selected: plan.deliveryIds.length })]
  const expiresAt = new Date(now + lifetimeMs + removalMs)
  try {
    await nativeCollection(deps.RetryPlan).insertOne({ _id: effectId, ...plan, unaudited, expiresAt })
    return plan
  } catch (error) {
    if (!isDuplicate(error)) throw error
    // Another attempt at the request has stored its plan in the meantime.
    return (await findPlan(deps, effectId)) ?? plan
  }
}

async function select(
  { Delivery, Endpoint }: Pick<Deps, 'Delivery' | 'Endpoint'>,
  caller: Caller,
  { after, ...filter }: RetryFilter,
): Promise<Chosen> {
  const { where, index } = selectDeliveries(caller, filter)
  const found = await Delivery.find(
    after === null ? where : { $and: [where, following(after)] },
    { createdAt: 1, endpointId: 1 },
    { hint: index, maxTimeMS: longestReadMs },
  )
    .sort({ createdAt: 1, _id: 1 })
    .limit(requeueBatch + 1)
    .lean<Pick<Delivery, '_id' | 'createdAt' | 'endpointId'>[]>()
  const chosen = found.slice(0, requeueBatch)
  const last = found.length > requeueBatch ? chosen.at(-1) : undefined
  const others = await atLiveEndpoints({ Endpoint }, caller, chosen)
  return {
    deliveryIds: chosen.filter((delivery) => !others.has(delivery)).map(({ _id }) => _id),
    result: null,
    next: last === undefined ? null : `${last.createdAt.getTime().toString(36)}.${last._id}`,
  }
}

/**
 * Returns a filter for the deliveries after a position in the order of time and id. With `$or`, MongoDB would read some
 * filters' range of the index twice.
 */
function following(after: string): object {
  const [time = '', id = ''] = after.split('.')
  const at = new Date(Number.parseInt(time, 36))
  return { createdAt: { $gte: at }, $nor: [{ createdAt: at, _id: { $lte: id } }] }
}
