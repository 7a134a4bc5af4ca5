import type { Deps } from '../deps.ts'
import { type Figure, minuteMs } from './figure.ts'
import { omit } from './gauges.ts'

/** The maximum number of businesses that have their own time series. */
export const maxBusinesses = 10

/**
 * Creates the figure that reports the number of live codes in use by the businesses closest to their quotas. The figure
 * covers only businesses for which this process has created codes, and recounts the codes of at most `maxBusinesses` of
 * them.
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
