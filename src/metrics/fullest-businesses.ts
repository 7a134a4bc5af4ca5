import type { Deps } from '../deps.ts'
import { type Figure, minuteMs } from './figure.ts'
import { omit } from './gauges.ts'

/** The maximum number of businesses that have their own series. */
export const maxBusinesses = 10

/**
 * The number of live codes of the businesses that use the largest shares of their quotas. This process knows which
 * businesses it has created codes for, and re-counts at most `maxBusinesses` of them.
 */
export function fullestBusinesses({ quotas, metrics: { gauges } }: Deps): Figure {
  const leaveOut = () => {
    omit(gauges.businessLiveCodes)
    omit(gauges.businessLiveCodesUsed)
  }
  return {
    keptMs: minuteMs,
    async read() {
      const fullest = await quotas.liveCodes.fullest(maxBusinesses)
      leaveOut()
      for (const { businessId: business, used, limit } of fullest) {
        gauges.businessLiveCodes.set({ business }, used)
        gauges.businessLiveCodesUsed.set({ business }, used / limit)
      }
    },
    leaveOut,
  }
}
