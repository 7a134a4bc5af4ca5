import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'

type RemoveDeps = Pick<Models, 'Endpoint'>

/**
 * How many deleted endpoints are kept per business, so that a retried deletion finds its result. A merchant deletes
 * fewer than this in two days.
 */
const maxKeptDeletions = 100
/**
 * Each deletion removes up to this many. One would be enough, but deletions that ran in parallel or were killed may
 * have removed none.
 */
const maxPerRun = 10
const maxTimeMS = 2000

/**
 * Removes a business's deleted endpoints beyond the last `maxKeptDeletions`, so that creating and deleting in a loop
 * does not grow the collection. The clean-up removes the deletions that are too old to be retried (src/retention).
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
 * Returns the ids of the endpoints that `stages` selects and that have no deliveries. A deleted endpoint with
 * deliveries stays as long as they do, for support staff and for the merchant's list. A relay that read the endpoint
 * earlier may still add a delivery. That delivery is cancelled when it becomes due.
 */
export async function unusedAmong(
  Endpoint: RemoveDeps['Endpoint'],
  stages: Record<string, unknown>[],
): Promise<string[]> {
  const unused = await nativeCollection(Endpoint)
    .aggregate<{ _id: string }>(
      [
        ...stages,
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
