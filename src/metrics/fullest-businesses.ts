import type { Deps } from '../deps.ts'
import { type Figure, figureOf, minuteMs } from './figure.ts'
import { omit } from './gauges.ts'

/** The maximum number of businesses that have their own time series. */
export const maxBusinesses = 10

/**
 * Creates the figure that reports the number of live codes in use by the businesses closest to their quotas. The figure
 * covers only businesses for which this process has created codes, and recounts the codes of at most `maxBusinesses` of
 * them.
 */
export function fullestBusinesses({ quotas, metrics: { gauges } }: Deps): Figure {
  const both = [gauges.businessLiveCodes, gauges.businessLiveCodesUsed]
  return figureOf(both, minuteMs, async () => {
    const fullest = await quotas.liveCodes.fullest(maxBusinesses)
    both.forEach(omit)
    for (const { businessId: business, used, limit } of fullest) {
      gauges.businessLiveCodes.set({ business }, used)
      gauges.businessLiveCodesUsed.set({ business }, used / limit)
    }
  })
}
