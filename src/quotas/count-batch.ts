import { backgroundRestMs, createBatcher, noDeadline } from '../mongo/batching/batcher.ts'
import type { Usage } from './quota.ts'

/**
 * The largest batch. A count takes about 20 ms if a quota of 20 000 is full, so a whole batch finishes well within
 * `countingMs`.
 */
const maxAtOnce = 20
/** MongoDB aborts a count after this. */
export const countingMs = 2_000

export type Counted = Usage & { _id: string }

/** Batches concurrent counts into one query. A business missing from its result uses nothing. */
export function batchCounts(
  countAll: (businessIds: string[]) => Promise<Counted[]>,
): (businessId: string) => Promise<Usage> {
  const count = createBatcher<string, Usage>(
    maxAtOnce,
    async (businessIds) => {
      const counted = new Map((await countAll([...new Set(businessIds)])).map((each) => [each._id, each]))
      return businessIds.map((businessId) => counted.get(businessId) ?? { used: 0, freeAt: null })
    },
    backgroundRestMs,
  )
  return (businessId) => count(businessId, noDeadline)
}
