import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../platform/deps.ts'

type RemoveDeps = Pick<Models, 'Endpoint'>

/** The number of deleted endpoints that are kept per business, so that support staff see what was deleted lately. */
const maxKeptDeletions = 100
/**
 * The maximum number of endpoints that one deletion removes. Normally it would be enough to remove a single endpoint,
 * but earlier deletions may have removed none because they ran in parallel or were killed.
 */
const maxPerRun = 10
const maxTimeMS = 2000

/**
 * Removes a business's deleted endpoints, except for the `maxKeptDeletions` most recently deleted ones, so that a
 * client that creates and deletes endpoints in a loop does not make the collection grow. The clean-up removes the other
 * deleted endpoints after two days (src/retention).
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
 * Returns the ids of the endpoints that `stages` selects and that have no deliveries. A deleted endpoint is kept as
 * long as it has deliveries, because support staff need it and the merchant's list of deliveries refers to it. The
 * endpoint is also kept as long as it has an event that has not been relayed. A relay that read the endpoint before its
 * deletion may still add a delivery, which is cancelled when it becomes due.
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
