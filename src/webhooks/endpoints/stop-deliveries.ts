import { pastMongoose } from '../../collection.ts'
import type { Deps } from '../../deps.ts'
import { leaseEnd } from '../deliveries/lease.ts'

const mostInBatch = 500
const stopsForMs = 1000
const maxTimeMS = 2000

/**
 * Cancels deliveries of an endpoint, for a second at most: those that are being attempted, and, if it is deleted, all other open ones. If it is
 * only disabled, it may be active again when the others come due. An attempt in flight loses its lease: its worker aborts it when it next renews
 * its leases, within 3 s. Workers cancel the rest when it comes due: what a second did not cover, what a fault left, and what a relay is just
 * inserting. Never throws.
 */
export async function stopDeliveries(
  deps: Pick<Deps, 'Delivery' | 'now' | 'log'>,
  endpointId: string,
  isDeleted: boolean,
): Promise<void> {
  const endsAt = performance.now() + stopsForMs
  const now = deps.now()
  // From now on, or a hundred thousand that are due and have no lease would be read. What a dead worker left is cancelled when it is taken over.
  const attempted = {
    endpointId,
    nextAttemptAt: { $type: 'date', $gt: now, $lte: leaseEnd(now) },
    leaseToken: { $type: 'string' },
  }
  const open = { endpointId, nextAttemptAt: { $type: 'date' } }
  try {
    for (const which of isDeleted ? [attempted, open] : [attempted]) await cancelAmong(deps, which, endsAt)
  } catch (err) {
    deps.log.warn({ err, endpointId }, 'deliveries.not-stopped')
  }
}

async function cancelAmong(
  deps: Pick<Deps, 'Delivery'>,
  which: Record<string, unknown>,
  endsAt: number,
): Promise<void> {
  const deliveries = pastMongoose(deps.Delivery)
  const looks = { hint: 'openByEndpoint', projection: { _id: 1 }, limit: mostInBatch, maxTimeMS } as const
  const stopped = { status: 'CANCELLED', nextAttemptAt: null, leaseToken: null } as const
  for (;;) {
    const found = await deliveries.find(which, looks).toArray()
    const ids = found.map(({ _id }) => _id)
    if (ids.length > 0)
      await deliveries.updateMany({ ...which, _id: { $in: ids } }, { $set: stopped }, { maxTimeMS })
    if (ids.length < mostInBatch || performance.now() > endsAt) return
  }
}
