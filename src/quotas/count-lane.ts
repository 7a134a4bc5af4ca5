import { createLane, noHurry, unhurriedRestMs } from '../group-commit/lane.ts'
import type { Usage } from './quota.ts'

/** Some 20 ms each where a quota of 20 000 is full, so a whole batch ends well before MongoDB gives it up. */
const mostAtOnce = 20
/** MongoDB gives a count up after this. */
export const countingMs = 2_000

export type Counted = Usage & { _id: string }

/** Counts what businesses use, many in one trip. A business that is not in the result uses nothing. */
export function countLane(
  countAll: (businessIds: string[]) => Promise<Counted[]>,
): (businessId: string) => Promise<Usage> {
  const lane = createLane<string, Usage>(
    mostAtOnce,
    async (businessIds) => {
      const counted = new Map((await countAll([...new Set(businessIds)])).map((each) => [each._id, each]))
      return businessIds.map((businessId) => counted.get(businessId) ?? { used: 0, freeAt: null })
    },
    unhurriedRestMs,
  )
  return (businessId) => lane(businessId, noHurry)
}
