import type { Deps } from '../../deps.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { inFairBatches } from '../../mongo/in-fair-batches.ts'
import { groupBy } from '../../polyfills/group-by.ts'
import { jobIdOf } from '../deliveries/delivery-job.ts'
import { claimable } from '../deliveries/lease.ts'
import { isReceiving } from '../endpoints/endpoint.ts'
import { beginAttempt } from './attempt.ts'
import type { ClaimedDelivery } from './claim.ts'
import { type AttemptEndpoint, slotOwner } from './find-endpoint.ts'
import { removeSuperseded } from './remove-superseded.ts'
import type { Slot, SlotOwner } from './slots/slot.ts'

/** The wake-up job of a delivery that has just become due may still arrive. */
const graceMs = 500
/** Deliveries of one business in one run of the poll. Those of an endpoint without slots wait for `attemptWaiting`. */
const mostOfOne = 500

interface Due {
  _id: string
  businessId: string
  endpointId: string
  nextAttemptAt: Date
}
const dueFields = { businessId: 1, endpointId: 1, nextAttemptAt: 1 } as const

/**
 * Begins the attempts that are due, with a share for each business, as far as there are slots. Takes over deliveries whose lease has ended.
 * Returns how many it found.
 */
export function attemptDue(deps: Deps): Promise<number> {
  deps.slots.serveWaiting()
  return inFairBatches<Due>(
    mostOfOne,
    (last, without) => findDue(deps, last, without),
    async (found) => {
      const byEndpoint = groupBy(found, ({ endpointId }) => endpointId)
      await allOf(
        [...byEndpoint].map(([endpointId, some]) =>
          attemptOf(
            deps,
            endpointId,
            some.map(({ _id }) => _id),
          ),
        ),
      )
    },
  )
}

/** Skips endpoints that wait for slots, because a hundred thousand of their deliveries may be due. Reads index keys only. */
function findDue(deps: Deps, last: Due | null, without: readonly string[]): AsyncIterable<Due> {
  const { $type, $lte } = claimable(new Date(deps.now().getTime() - graceMs)).nextAttemptAt
  return nativeCollection(deps.Delivery).find<Due>(
    {
      nextAttemptAt: { $type, $lte, ...(last === null ? {} : { $gte: last.nextAttemptAt }) },
      businessId: { $nin: [...without] },
      endpointId: { $nin: deps.slots.waiting().map(({ endpointId }) => endpointId) },
    },
    { projection: dueFields, hint: 'open', sort: { nextAttemptAt: 1 }, batchSize: 1000 },
  )
}

/** Waits until all have settled, then throws the first error. */
async function allOf(parts: Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(parts)
  await Promise.all(parts)
}

/** Endpoints that are served at once. Each costs some reads. */
const servedTogether = 25

/** Begins attempts at waiting endpoints that can get slots now. */
export async function attemptWaiting(deps: Deps): Promise<void> {
  const { slots } = deps
  const waiting = slots.waiting().filter((owner) => slots.room(owner) > 0)
  for (let at = 0; at < waiting.length; at += servedTogether)
    await allOf(waiting.slice(at, at + servedTogether).map((owner) => attemptOldest(deps, owner)))
}

/** Begins attempts at the oldest deliveries of an endpoint, one per free slot. The endpoint keeps waiting if more may be due. */
async function attemptOldest(deps: Deps, owner: SlotOwner): Promise<void> {
  const { endpointId } = owner
  const room = deps.slots.room(owner)
  if (room === 0) return
  // From here on a delivery that finds no slot makes the endpoint wait again.
  deps.slots.served(endpointId)
  try {
    const due = await nativeCollection(deps.Delivery)
      .find<Pick<Due, '_id'>>(
        { endpointId, ...claimable(deps.now()) },
        { projection: { _id: 1 }, hint: 'openByEndpoint', sort: { nextAttemptAt: 1 }, limit: room },
      )
      .toArray()
    if (due.length === room) deps.slots.wait(owner)
    await attemptOf(
      deps,
      endpointId,
      due.map(({ _id }) => _id),
    )
  } catch (error) {
    deps.slots.wait(owner)
    throw error
  }
}

/** Begins attempts at deliveries of one endpoint, as far as there are slots and no other worker has claimed them. */
async function attemptOf(deps: Deps, endpointId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  const endpoint = await deps.batchers.findEndpoint(endpointId, noDeadline)
  if (endpoint === null || !isReceiving(endpoint)) return cancelDue(deps, endpointId, ids)
  const taken = takeSlots(deps, endpoint, ids)
  const begun = await Promise.all(taken.map(({ id, slot }) => claimAndBegin(deps, id, slot)))
  // A re-queue on the command line adds no job, so no job has done this.
  for (const delivery of begun) if (delivery !== null) await removeSuperseded(deps, jobIdOf(delivery))
}

function takeSlots(deps: Deps, endpoint: AttemptEndpoint, ids: string[]): { id: string; slot: Slot }[] {
  const taken: { id: string; slot: Slot }[] = []
  const owner = slotOwner(endpoint)
  for (const id of ids) {
    const slot = deps.slots.takeNow(owner)
    if (slot === null) break
    taken.push({ id, slot })
  }
  return taken
}

/** Claims a delivery and begins its attempt. If it cannot be claimed, frees the slot and returns null. */
export async function claimAndBegin(deps: Deps, id: string, slot: Slot): Promise<ClaimedDelivery | null> {
  let delivery: ClaimedDelivery | null = null
  try {
    delivery = await deps.batchers.claimDelivery(id, noDeadline)
  } finally {
    if (delivery === null) slot.free(null)
  }
  if (delivery !== null) beginAttempt(deps, delivery, slot)
  return delivery
}

/** Cancels due deliveries of an endpoint that is deleted or disabled. */
export async function cancelDue(
  deps: Pick<Deps, 'Delivery' | 'now' | 'log'>,
  endpointId: string,
  ids: string[],
): Promise<void> {
  const { modifiedCount: cancelled } = await nativeCollection(deps.Delivery).updateMany(
    { _id: { $in: ids }, ...claimable(deps.now()) },
    { $set: { status: 'CANCELLED', nextAttemptAt: null, leaseToken: null } },
  )
  if (cancelled > 0) deps.log.info({ endpointId, cancelled }, 'deliveries.cancelled')
}
