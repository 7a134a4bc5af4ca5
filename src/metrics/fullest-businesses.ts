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
  const all = [gauges.businessLiveCodes, gauges.businessLiveCodesUsed, gauges.businessQuotaUsed]
  return figureOf(all, minuteMs, async () => {
    const [codes, ...daily] = await Promise.all([
      liveCodes.fullest(maxBusinesses),
      ...dailyQuotas.map((name) => counters.fullest(name, maxBusinesses)),
    ])
    all.forEach(omit)
    for (const { owner: business, used, limit } of codes) {
      gauges.businessLiveCodes.set({ business }, used)
      gauges.businessLiveCodesUsed.set({ business }, used / limit)
    }
    for (const [index, fullest] of daily.entries())
      for (const { owner: business, used, limit } of fullest)
        gauges.businessQuotaUsed.set({ business, quota: snakeCase(dailyQuotas[index] ?? '') }, used / limit)
  })
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
