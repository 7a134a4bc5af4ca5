import { backgroundRest, createBatcher, noDeadline } from '../mongo/batching/batcher.ts'
import type { Usage } from './quota.ts'

/**
 * The maximum number of counts in a batch. Counting a full quota of 20 000 takes about 20 ms, so a whole batch
 * completes well within `countingMs`.
 */
const maxAtOnce = 20
/** MongoDB aborts a count after this time. */
export const countingMs = 2_000

export type Counted = Usage & { _id: string }

/**
 * Batches concurrent counts into one query. If a business is missing from the result, it has used none of its quota.
 */
export function batchCounts(
  countAll: (businessIds: string[]) => Promise<Counted[]>,
): (businessId: string) => Promise<Usage> {
  const count = createBatcher<string, Usage>(
    maxAtOnce,
    async (businessIds) => {
      const counted = new Map((await countAll([...new Set(businessIds)])).map((each) => [each._id, each]))
      return businessIds.map((businessId) => counted.get(businessId) ?? { used: 0, freeAt: null })
    },
    backgroundRest,
  )
  return (businessId) => count(businessId, noDeadline)
}
