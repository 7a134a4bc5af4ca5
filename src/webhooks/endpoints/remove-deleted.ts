import { pastMongoose } from '../../collection.ts'
import type { Models } from '../../collections.ts'

type RemoveDeps = Pick<Models, 'Endpoint'>

/** Deletions of one business that stay, so that a retry of one finds what it did: more than a merchant makes in two days. */
const keptDeletions = 100
/** One deletion adds one; the rest makes up for deletions in parallel and for those that did not come this far. */
const mostAtOnce = 10
const maxTimeMS = 2000

/**
 * Removes deleted endpoints of a business beyond its last `keptDeletions`, so that creating and deleting in a loop does not make the collection
 * grow. The clean-up removes what is older than its retries (src/retention).
 */
export async function removeSurplus({ Endpoint }: RemoveDeps, businessId: string): Promise<void> {
  const surplus = await unusedAmong(Endpoint, [
    { $match: { businessId, deletedAt: { $type: 'date' } } },
    { $sort: { deletedAt: -1, _id: -1 } },
    { $skip: keptDeletions },
    { $limit: mostAtOnce },
  ])
  if (surplus.length > 0) await pastMongoose(Endpoint).deleteMany({ _id: { $in: surplus } }, { maxTimeMS })
}

/**
 * The ids of those endpoints that have no delivery. A deleted endpoint that has any stays as long as they do, for support staff and for the
 * merchant's list. A delivery that comes later, from a relay that read the endpoint before, is cancelled when it is due.
 */
export async function unusedAmong(
  Endpoint: RemoveDeps['Endpoint'],
  which: Record<string, unknown>[],
): Promise<string[]> {
  const unused = await pastMongoose(Endpoint)
    .aggregate<{ _id: string }>(
      [
        ...which,
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
