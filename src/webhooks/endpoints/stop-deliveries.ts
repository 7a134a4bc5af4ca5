import { nativeCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { leaseEnd } from '../deliveries/delivery.ts'
import { type Endpoint, isReceiving } from './endpoint.ts'

const maxPerBatch = 500
/** A lease may end later: renewed just after `now` was read, or by a process whose clock is fast. */
const leaseMarginMs = 5_000
const stopsForMs = 1000
const maxTimeMS = 2000

/**
 * For a deleted endpoint, cancels all open deliveries. For a disabled one, only those in flight, because it may be
 * enabled again before the others are due. A worker whose lease is gone aborts within 3 s. Stops after about a second
 * and never throws; workers cancel what is left when it's due.
 */
export async function stopDeliveries(
  deps: Pick<Deps, 'Endpoint' | 'Delivery' | 'now' | 'log'>,
  endpointId: string,
): Promise<void> {
  const endsAt = performance.now() + stopsForMs
  const now = deps.now()
  // There may be a hundred thousand due deliveries, so they're left to the workers.
  const latestEnd = new Date(leaseEnd(now).getTime() + leaseMarginMs)
  const attempted = {
    endpointId,
    nextAttemptAt: { $type: 'date', $gt: now, $lte: latestEnd },
    leaseToken: { $type: 'string' },
  }
  const open = { endpointId, nextAttemptAt: { $type: 'date' } }
  try {
    const endpoint = await deps.Endpoint.findById(endpointId, {
      active: 1,
      deletedAt: 1,
    }).lean<Endpoint | null>()
    if (endpoint !== null && isReceiving(endpoint)) return
    const isDeleted = endpoint === null || endpoint.deletedAt !== null
    let cancelled = 0
    for (const filter of isDeleted ? [attempted, open] : [attempted])
      cancelled += await cancelMatching(deps, filter, now, endsAt)
    if (cancelled > 0) deps.log.info({ endpointId, cancelled }, 'deliveries.cancelled')
  } catch (err) {
    deps.log.warn({ err, endpointId }, 'deliveries.not-stopped')
  }
}

async function cancelMatching(
  { Delivery }: Pick<Deps, 'Delivery'>,
  filter: object,
  now: Date,
  endsAt: number,
) {
  const deliveries = nativeCollection(Delivery)
  const findOptions = {
    hint: 'openByEndpoint',
    projection: { _id: 1 },
    limit: maxPerBatch,
    maxTimeMS,
  } as const
  const stopped = { status: 'CANCELLED', nextAttemptAt: null, leaseToken: null, cancelledAt: now } as const
  let cancelled = 0
  for (;;) {
    const found = await deliveries.find(filter, findOptions).toArray()
    const ids = found.map(({ _id }) => _id)
    if (ids.length > 0)
      cancelled += (
        await deliveries.updateMany({ ...filter, _id: { $in: ids } }, { $set: stopped }, { maxTimeMS })
      ).modifiedCount
    if (ids.length < maxPerBatch || performance.now() > endsAt) return cancelled
  }
}
