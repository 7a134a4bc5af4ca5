import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../platform/deps.ts'

type RemoveDeps = Pick<Models, 'Endpoint'>

/** Support staff see what was deleted lately. */
const maxKeptDeletions = 100
/** One would do, but earlier deletions may have removed none because they ran in parallel or were killed. */
const maxPerRun = 10
const maxTimeMS = 2000

/**
 * A client that creates and deletes endpoints in a loop must not make the collection grow. The clean-up removes the
 * others after two days (src/retention).
 */
export async function removeSurplus({ Endpoint }: RemoveDeps, businessId: string): Promise<void> {
  const surplus = await unusedAmong(Endpoint, [
    { $match: { businessId, deletedAt: { $type: 'date' } } },
    { $sort: { deletedAt: -1, _id: -1 } },
    { $skip: maxKeptDeletions },
    { $limit: maxPerRun },
  ])
  if (surplus.length > 0)
    await nativeCollection(Endpoint).deleteMany({ _id: { $in: surplus } }, { maxTimeMS })
}

/**
 * Support staff and the merchant's list need endpoints that have deliveries, and an unrelayed event needs its outbox.
 * A relay that read the endpoint before may still add a delivery, which is cancelled when due.
 */
export async function unusedAmong(Endpoint: RemoveDeps['Endpoint'], stages: object[]): Promise<string[]> {
  const unused = await nativeCollection(Endpoint)
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
