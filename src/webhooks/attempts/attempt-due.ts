import { noDeadline } from '../../mongo/batchers.ts'
import { rawCollection } from '../../mongo/collection.ts'
import { runInFairBatches } from '../../mongo/in-batches.ts'
import type { Deps } from '../../platform/deps.ts'
import * as stored from '../deliveries/delivery.ts'
import type { LeasedDelivery } from '../deliveries/lease.ts'
import { receivesEvents } from '../endpoints/endpoint.ts'
import { type AttemptDeps, beginAttempt } from './attempt.ts'
import { type AttemptSlot, type SlotOwner, slotOwnerOf } from './slots.ts'

type DueDeps = AttemptDeps & Pick<Deps, 'queues'>

/** For this long, a due delivery is left to its wake-up job. */
const graceMs = 500
/** A business has fewer slots than this. */
const maxPerBusiness = 500

type Due = Pick<LeasedDelivery, '_id' | 'businessId' | 'nextAttemptAt'> & { endpointId: string }
const dueFields = { businessId: 1, endpointId: 1, nextAttemptAt: 1 } as const

export function pollDeliveries(deps: DueDeps): Promise<number> {
  deps.slots.serveWaiting()
  return runInFairBatches<Due>(
    maxPerBusiness,
    (last, without) => findDue(deps, last, without),
    async (found) => {
      const byEndpoint = Map.groupBy(found, ({ endpointId }) => endpointId)
      await settleAll([...byEndpoint].map(([endpointId, due]) => attemptAt(deps, endpointId, due)))
    },
  )
}

/** Skips endpoints waiting for slots, which may have 100,000 due deliveries. */
function findDue(deps: DueDeps, last: Due | null, without: readonly string[]): AsyncIterable<Due> {
  const { $type, $lte } = stored.leasableFilter(new Date(deps.now().getTime() - graceMs)).nextAttemptAt
  return rawCollection(deps.Delivery).find<Due>(
    {
      nextAttemptAt: { $type, $lte, ...(last === null ? {} : { $gte: last.nextAttemptAt }) },
      businessId: { $nin: [...without] },
      endpointId: { $nin: deps.slots.waiting().map(({ endpointId }) => endpointId) },
    },
    { projection: dueFields, hint: 'open', sort: { nextAttemptAt: 1 }, batchSize: 1000 },
  )
}

async function attemptAt(deps: DueDeps, endpointId: string, due: Due[]): Promise<void> {
  const endpoint = await deps.batchers.findEndpoint(endpointId, noDeadline)
  if (endpoint === null || !receivesEvents(endpoint)) await cancelDue(deps, endpointId, idsOf(due))
  else await beginAttempts(deps, slotOwnerOf(endpoint), idsOf(due))
}

const idsOf = (found: Pick<Due, '_id'>[]): string[] => found.map(({ _id }) => _id)

/** Unlike `Promise.all`, rejects only after every promise has settled. */
export async function settleAll<T>(parts: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(parts)
  return Promise.all(parts)
}

const maxServedAtOnce = 25

export async function startWaitingAttempts(deps: DueDeps): Promise<number> {
  const { slots } = deps
  const waiting = slots.waiting().filter((owner) => slots.available(owner) > 0)
  let begun = 0
  for (let at = 0; at < waiting.length; at += maxServedAtOnce) {
    const served = waiting.slice(at, at + maxServedAtOnce)
    for (const count of await settleAll(served.map((owner) => attemptOldest(deps, owner)))) begun += count
  }
  return begun
}

/** The endpoint stays marked as waiting if more deliveries may be due. */
async function attemptOldest(deps: DueDeps, owner: SlotOwner): Promise<number> {
  const { endpointId } = owner
  const available = deps.slots.available(owner)
  if (available === 0) return 0
  // A delivery that finds no slot after the read marks the endpoint again.
  deps.slots.clearWaiting(endpointId)
  try {
    const due = await rawCollection(deps.Delivery)
      .find<Pick<Due, '_id'>>(
        { endpointId, ...stored.leasableFilter(deps.now()) },
        { projection: { _id: 1 }, hint: 'openByEndpoint', sort: { nextAttemptAt: 1 }, limit: available },
      )
      .toArray()
    if (due.length === available) deps.slots.setWaiting(owner)
    return await beginAttempts(deps, owner, idsOf(due))
  } catch (error) {
    deps.slots.setWaiting(owner)
    throw error
  }
}

/** Skips leased deliveries. Returns how many attempts it started. */
export async function beginAttempts(deps: DueDeps, owner: SlotOwner, ids: string[], isReplay = false) {
  const starting: Promise<LeasedDelivery | null>[] = []
  for (const id of ids) {
    const slot = deps.slots.takeNow(owner, isReplay)
    if (slot === null) break
    starting.push(leaseAndBegin(deps, id, slot))
  }
  const begun = (await Promise.all(starting)).filter((delivery) => delivery !== null)
  // Runs in the background, because attempts must not wait for Redis.
  void deps.backgroundWork.add(removeStaleJobs(deps, begun))
  return begun.length
}

async function leaseAndBegin(deps: AttemptDeps, id: string, slot: AttemptSlot) {
  let delivery: LeasedDelivery | null = null
  try {
    delivery = await deps.batchers.leaseDelivery(id, noDeadline)
  } finally {
    if (delivery === null) slot.free(null)
  }
  if (delivery !== null) beginAttempt(deps, delivery, slot)
  return delivery
}

/** Call this only if the endpoint is deleted or disabled. */
async function cancelDue(deps: Pick<Deps, 'Delivery' | 'log' | 'now'>, endpointId: string, ids: string[]) {
  const now = deps.now()
  const { modifiedCount: cancelled } = await rawCollection(deps.Delivery).updateMany(
    { _id: { $in: ids }, ...stored.leasableFilter(now) },
    { $set: stored.cancelledFields(now) },
  )
  if (cancelled > 0) deps.log.info({ endpointId, cancelled }, 'deliveries.cancelled')
}

/** Removes jobs left in Redis by replays and the command line. */
export async function removeStaleJobs(
  deps: Pick<Deps, 'queues' | 'log'>,
  deliveries: stored.AttemptCounts[],
) {
  const requeued = deliveries.filter(({ requeues }) => requeues > 0)
  if (requeued.length === 0) return
  const jobIds = requeued.map((each) => stored.jobIdOf({ ...each, requeues: each.requeues - 1 }))
  await deps.queues.storedJobs
    .remove('webhook-delivery', jobIds)
    .catch((err: unknown) => deps.log.warn({ err, jobs: jobIds.length }, 'jobs.not-removed'))
}

/** `superseded`: the delivery needs no job, or has a newer one. */
export type WakeOutcome =
  | { outcome: 'begun' | 'cancelled' | 'no-slot' | 'superseded' }
  | { outcome: 'not-due'; again: Date }
  | { outcome: 'dead'; reason: string }

/** `woken` has the counts from when the job was created. */
export async function wakeDelivery(deps: AttemptDeps, woken: stored.AttemptCounts): Promise<WakeOutcome> {
  const { _id: deliveryId } = woken
  const endpointId = stored.endpointIdOf(deliveryId)
  const endpoint = await deps.batchers.findEndpoint(endpointId, noDeadline)
  if (endpoint === null || !receivesEvents(endpoint)) {
    await cancelDue(deps, endpointId, [deliveryId])
    return whyNotBegun(deps, woken)
  }
  const slot = deps.slots.takeNow(slotOwnerOf(endpoint))
  const delivery = slot && (await leaseAndBegin(deps, deliveryId, slot))
  return delivery === null ? whyNotBegun(deps, woken) : { outcome: 'begun' }
}

async function whyNotBegun(
  deps: Pick<Deps, 'batchers' | 'now'>,
  { _id, attempts, requeues }: stored.AttemptCounts,
): Promise<WakeOutcome> {
  const delivery = await deps.batchers.lookAtDelivery(_id, noDeadline)
  const isLatest = delivery?.attempts === attempts && delivery.requeues === requeues
  // The attempt in progress adds the next job itself.
  if (!isLatest || stored.isLeased(delivery, deps.now())) return { outcome: 'superseded' }
  // A DEAD delivery needs a failed job, because support staff look for one.
  if (delivery.status === 'DEAD') {
    const last = delivery.attemptLog.at(-1)
    return { outcome: 'dead', reason: `attempt ${attempts}: ${last ? stored.failureText(last) : 'failed'}` }
  }
  if (delivery.status === 'CANCELLED') return { outcome: 'cancelled' }
  const { nextAttemptAt } = delivery
  if (nextAttemptAt === null) return { outcome: 'superseded' }
  return nextAttemptAt > deps.now() ? { outcome: 'not-due', again: nextAttemptAt } : { outcome: 'no-slot' }
}
