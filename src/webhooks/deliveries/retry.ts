import { noFilterMessage, retryDeliveriesBody } from '../../../schemas/deliveries.ts'
import type { Caller } from '../../businesses/caller.ts'
import {
  type QuotaDeps,
  type ReserveStorage,
  withAuditQuota,
  withStorageQuota,
} from '../../businesses/quotas.ts'
import { effectResult, type OperationResult, type WriteRequest } from '../../idempotency/request.ts'
import { anyTimeSpan, readSpan } from '../../input/span.ts'
import { maxListReadMs } from '../../lists/pagination.ts'
import { measureBson } from '../../mongo/collection.ts'
import { type DatedDocument, readWalkPage } from '../../mongo/walk.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuse } from '../../platform/errors.ts'
import { buildDeliveryQuery, type DeliveryFilter, findDeliveryRecord } from './find.ts'
import { findAtLiveEndpoints, presentDelivery } from './present.ts'
import {
  countOutcomes,
  type PlanDeps,
  planAndRequeue,
  type RequeueDeps,
  type RequeueOutcomes,
  requeueBatchSize,
  resumeRequeue,
} from './requeue.ts'
import type { BulkRetryResult, RequeuePlan } from './requeue-plan.ts'

/** Throws DELIVERY_NOT_FOUND, SANDBOX_MISMATCH and RATE_LIMITED. */
export async function retryDelivery(
  deps: RequeueDeps & QuotaDeps,
  caller: Caller,
  id: string,
  request: WriteRequest,
): Promise<OperationResult> {
  const found = await findDeliveryRecord(deps, caller, id)
  if ((await findAtLiveEndpoints(deps, caller, [found])).has(found)) throw refuse('SANDBOX_MISMATCH')
  const act = { by: request.by, request }
  const retry = () => planAndRequeue(deps, [id], act)
  const { plan } = await withAuditQuota(deps, caller, retry, (done) => done.plan?.deliveries.length === 1)
  if (!plan?.requestKey) throw refuse('DELIVERY_NOT_FOUND')
  return effectResult(plan.requestKey, await presentRetried(deps, caller, id, plan), false)
}

async function presentRetried(deps: PlanDeps, caller: Caller, id: string, { outcome }: RequeuePlan) {
  const reason = outcome === 'requeued' ? null : outcome
  const delivery = await findDeliveryRecord(deps, caller, id)
  return { ...presentDelivery(delivery), retried: reason === null, reason }
}

export async function findRetryResult(deps: PlanDeps, caller: Caller, id: string, request: WriteRequest) {
  const plan = await resumeRequeue(deps, request)
  if (!plan?.requestKey) return null
  return effectResult(plan.requestKey, plan.result ?? (await presentRetried(deps, caller, id, plan)), true)
}

type RetryFilter = DeliveryFilter & { after: string | null }

export function parseRetryFilter(deps: Pick<Deps, 'validate'>, body: unknown): RetryFilter {
  const { after = null, status, ...filters } = deps.validate(retryDeliveriesBody, body)
  const { event = null, endpointId = null, referenceNumber = null, responseStatus = null } = filters
  const named = { event, endpointId, referenceNumber, responseStatus, ...readSpan(filters) }
  if (status === undefined && Object.values(named).every((each) => each === null))
    throw refuse('VALIDATION_ERROR', { param: 'body', message: `body ${noFilterMessage}.` })
  return { statuses: [...new Set(status ?? (['DEAD'] as const))], ...named, after }
}

/**
 * Each request continues where the previous one ended, so a series covers
 * each delivery once.
 */
export async function retryDeliveries(
  deps: RequeueDeps & QuotaDeps & Pick<Deps, 'lists'>,
  caller: Caller,
  filter: RetryFilter,
  request: WriteRequest,
): Promise<OperationResult> {
  let addsLine = false
  const requeue = async ({ deliveryIds, next }: Chosen, reserve: ReserveStorage) => {
    const summarise = (outcomes: RequeueOutcomes) => {
      const result = resultOf(outcomes, next)
      return { result, line: retryLine(caller, filter, result) }
    }
    await reserve({ others: 1, bytes: measureBson(deliveryIds) })
    const act = { by: request.by, request, summarise }
    const { plan } = await planAndRequeue(deps, deliveryIds, act)
    if (!plan?.requestKey) throw new Error('a retry by filter has no plan')
    addsLine = plan.deliveries.length > 0
    return effectResult(plan.requestKey, plan.result, false)
  }
  const run = (reserve: ReserveStorage) =>
    deps.lists.readAndAct(
      caller.businessId,
      (models) => select(models, caller, filter),
      (chosen) => requeue(chosen, reserve),
    )
  const retry = () => withStorageQuota(deps, caller, run)
  return withAuditQuota(deps, caller, retry, () => addsLine)
}

function retryLine({ businessId }: Caller, filter: RetryFilter, { requeued, skipped }: BulkRetryResult) {
  const set = Object.entries(filter).filter(([, value]) => value !== null)
  const after = { ...Object.fromEntries(set), requeued, skipped }
  return { act: 'delivery.requeued', subject: businessId, businessId, after } as const
}

function resultOf(outcomes: RequeueOutcomes, next: string | null): BulkRetryResult {
  // Omits `not_found` deliveries, which the clean-up has just removed.
  const { requeued, skipped } = countOutcomes(outcomes)
  const { delivered = 0, under_way = 0, endpoint_gone = 0 } = skipped
  return { requeued, skipped: { delivered, under_way, endpoint_gone }, hasMore: next !== null, next }
}

type Chosen = Awaited<ReturnType<typeof select>>

async function select(
  { Delivery, Endpoint }: Pick<Deps, 'Delivery' | 'Endpoint'>,
  caller: Caller,
  { after, from, to, ...filter }: RetryFilter,
) {
  const walk = {
    ...buildDeliveryQuery(caller, { ...filter, ...anyTimeSpan }),
    from,
    before: to && new Date(to.getTime() + 1),
  }
  const found = await readWalkPage(Delivery, walk, positionOf(after), {
    documents: requeueBatchSize + 1,
    projection: { createdAt: 1, endpointId: 1 },
    maxTimeMS: maxListReadMs,
  })
  const chosen = found.slice(0, requeueBatchSize)
  const last = found.length > requeueBatchSize ? chosen.at(-1) : undefined
  const others = await findAtLiveEndpoints({ Endpoint }, caller, chosen)
  return {
    deliveryIds: chosen.filter((delivery) => !others.has(delivery)).map(({ _id }) => _id),
    next: last === undefined ? null : `${last.createdAt.getTime().toString(36)}.${last._id}`,
  }
}

function positionOf(after: string | null): DatedDocument | null {
  if (after === null) return null
  const [time = '', _id = ''] = after.split('.')
  return { createdAt: new Date(Number.parseInt(time, 36)), _id }
}
