import type { QuotaName } from '../businesses/quotas.ts'
import type { Deps } from '../deps.ts'
import { type Figure, figureOf, minuteMs } from './figure.ts'
import { omit } from './gauges.ts'

/** The maximum number of businesses that have their own time series. */
export const maxBusinesses = 10

const dailyQuotas = ['liveDocuments', 'liveBytes', 'sandboxBytes', 'sandboxCreates'] as const satisfies QuotaName[]

/**
 * Creates the figure that reports the businesses closest to their quotas. The figure covers only businesses that used a
 * quota through this process.
 */
export function fullestBusinesses({ liveCodes, counters, metrics: { gauges } }: Deps): Figure {
  const gauge = gauges.businessQuotaUsed
  return figureOf([gauge], minuteMs, async () => {
    const fullest = await Promise.all([
      liveCodes.fullest(maxBusinesses),
      ...dailyQuotas.map((name) => counters.fullest(name, maxBusinesses)),
    ])
    omit(gauge)
    for (const [index, quota] of ['liveCodes', ...dailyQuotas].entries())
      for (const { owner: business, used, limit } of fullest[index] ?? []) gauge.set({ business, quota }, used / limit)
  })
}
