import type { Deps } from '../deps.ts'
import { type Figure, minuteMs } from './figure.ts'
import { omit } from './gauges.ts'

/** The most businesses that have their own series. */
export const maxBusinesses = 10

/**
 * The live codes of the businesses that use the largest share of their quotas. This process knows which businesses its
 * creates were for, and counts at most `maxBusinesses` of them again.
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
