import type { Model } from 'mongoose'
import type { Listed } from '../input/pagination.ts'
import { readPage, type Walk } from '../mongo/walk.ts'
import type { Pace } from './pace.ts'

/**
 * The limits of one batch. Removing 500 documents takes 10 to 50 ms, so other writes do not have to wait long. MongoDB
 * stops each call before the driver's timeout of 5 s is reached, so no call keeps running after the driver has given up
 * on it.
 */
export const batchLimits = { documents: 500, maxTimeMS: 4_000 } as const

/**
 * Reads documents in batches, starting with the oldest, and passes their ids to `act`. `act` must decide which of the
 * documents to change. The query does not select them, because MongoDB would then search until it had found a full
 * batch of documents to change, however long that took. The last two fields of the index must be the creation time and
 * the id.
 */
export async function eachPage<Doc extends Listed>(
  pace: Pace,
  model: Model<Doc>,
  walk: Walk,
  act: (ids: string[], lastCreatedAt: Date) => Promise<void>,
): Promise<void> {
  let last: Listed | null = null
  for (;;) {
    const page: Listed[] = await pace(async () => {
      const found = await readPage(model, walk, last, { ...batchLimits, projection: { createdAt: 1 } })
      const end = found.at(-1)
      if (end !== undefined)
        await act(
          found.map(({ _id }) => _id),
          end.createdAt,
        )
      return found
    })
    last = page.at(-1) ?? null
    if (last === null || page.length < batchLimits.documents) return
  }
}
