import type { Deps } from '../deps.ts'
import { type Figure, minuteMs } from './figure.ts'
import { omit } from './gauges.ts'

/** So many businesses have a series of their own, however many there are. */
export const mostBusinesses = 10

/**
 * The live codes of the businesses that use the largest parts of their quotas. This process knows what its creates took, and counts at most
 * `mostBusinesses` of them anew.
 */
export function fullestBusinesses({ quotas, metrics: { gauges } }: Deps): Figure {
  const leaveOut = () => {
    omit(gauges.businessLiveCodes)
    omit(gauges.businessLiveCodesUsed)
  }
  return {
    keptMs: minuteMs,
    async read() {
      const fullest = await quotas.liveCodes.fullest(mostBusinesses)
      leaveOut()
      for (const { businessId: business, used, limit } of fullest) {
        gauges.businessLiveCodes.set({ business }, used)
        gauges.businessLiveCodesUsed.set({ business }, used / limit)
      }
    },
    leaveOut,
  }
}
