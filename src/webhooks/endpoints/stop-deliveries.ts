import { rawCollection } from '../../mongo/collection.ts'
import type { Deps, Models } from '../../platform/deps.ts'
import { cancelledFields, leaseEndFrom } from '../deliveries/delivery.ts'
import { type Endpoint, receivesEvents } from './endpoint.ts'

const maxPerBatch = 500
/** A process whose clock is fast writes leases that end later. */
const leaseMarginMs = 5_000
const stopsForMs = 1000
const maxTimeMS = 2000

/**
 * Cancels open deliveries, but for a disabled endpoint only those in flight.
 * Workers cancel the rest when they're due.
 */
export async function stopDeliveries(
  deps: Pick<Deps, 'Endpoint' | 'Delivery' | 'now' | 'log'>,
  endpointId: string,
): Promise<void> {
  const endsAt = performance.now() + stopsForMs
  const now = deps.now()
  // Matches only leased deliveries, because 100,000 others may be due.
  const latestEnd = new Date(leaseEndFrom(now).getTime() + leaseMarginMs)
  const attempted = {
    endpointId,
    nextAttemptAt: { $type: 'date', $gt: now, $lte: latestEnd },
    leaseToken: { $type: 'string' },
  }
  const open = { endpointId, nextAttemptAt: { $type: 'date' } }
  try {
    const fields = { active: 1, deletedAt: 1 } as const
    const endpoint = await deps.Endpoint.findById(endpointId, fields).lean<Endpoint | null>()
    if (endpoint !== null && receivesEvents(endpoint)) return
    const isDeleted = endpoint === null || endpoint.deletedAt !== null
    let cancelled = 0
    for (const filter of isDeleted ? [attempted, open] : [attempted])
      cancelled += await cancelMatching(deps.Delivery, filter, now, endsAt)
    if (cancelled > 0) deps.log.info({ endpointId, cancelled }, 'deliveries.cancelled')
  } catch (err) {
    deps.log.warn({ err, endpointId }, 'deliveries.not-stopped')
  }
}

const batchOptions = {
  hint: 'openByEndpoint',
  projection: { _id: 1 },
  limit: maxPerBatch,
  maxTimeMS,
} as const

async function cancelMatching(model: Models['Delivery'], filter: object, now: Date, endsAt: number) {
  const deliveries = rawCollection(model)
  const update = { $set: cancelledFields(now) }
  let cancelled = 0
  for (;;) {
    const found = await deliveries.find(filter, batchOptions).toArray()
    const ids = found.map(({ _id }) => _id)
    if (ids.length > 0)
      cancelled += (await deliveries.updateMany({ ...filter, _id: { $in: ids } }, update, { maxTimeMS }))
        .modifiedCount
    if (ids.length < maxPerBatch || performance.now() > endsAt) return cancelled
  }
}

const maxKeptDeletions = 100
/** Usually one endpoint is surplus, or a few after parallel deletions. */
const maxPerRun = 10

/** Keeps deleted endpoints from piling up without limit. */
export async function pruneEndpoints({ Endpoint }: Pick<Models, 'Endpoint'>, businessId: string) {
  const surplus = await findUnusedEndpoints(Endpoint, [
    { $match: { businessId, deletedAt: { $type: 'date' } } },
    { $sort: { deletedAt: -1, _id: -1 } },
    { $skip: maxKeptDeletions },
    { $limit: maxPerRun },
  ])
  if (surplus.length > 0) await rawCollection(Endpoint).deleteMany({ _id: { $in: surplus } }, { maxTimeMS })
}

export async function findUnusedEndpoints(Endpoint: Models['Endpoint'], stages: object[]): Promise<string[]> {
  const unused = await rawCollection(Endpoint)
    .aggregate<{ _id: string }>(
      [
        ...stages,
        { $match: { 'outbox.0': { $exists: false } } },
        { $project: { _id: 1 } },
        {
          $lookup: {
            from: 'deliveries',
            localField: '_id',
            foreignField: 'endpointId',
            pipeline: [{ $limit: 1 }, { $project: { _id: 1 } }],
            as: 'deliveries',
          },
        },
        { $match: { deliveries: [] } },
        { $project: { _id: 1 } },
      ],
      { maxTimeMS },
    )
    .toArray()
  return unused.map(({ _id }) => _id)
}
