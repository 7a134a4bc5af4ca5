import type { Gauge } from '@prometheus-io/client'
import type { Deps } from '../platform/deps.ts'
import { coalesceRuns } from '../platform/share-runs.ts'
import { succeedsWithin } from '../platform/timeout.ts'
import { clearGauge } from './metrics.ts'

export interface MetricCollector {
  keptMs: number
  read(): Promise<void>
  leaveOut(): void
}

export const briefCacheMs = 5_000

export const gaugeCollector = (
  gauges: Parameters<typeof clearGauge>[0][],
  keptMs: number,
  read: MetricCollector['read'],
): MetricCollector => ({ keptMs, read, leaveOut: () => gauges.forEach(clearGauge) })

export const numberCollector = (gauge: Gauge, keptMs: number, query: () => Promise<number | null>) =>
  gaugeCollector([gauge], keptMs, async () => {
    const value = await query()
    if (value === null) clearGauge(gauge)
    else gauge.set(value)
  })

export const pingCollector = (up: Gauge, seconds: Gauge, ping: () => Promise<unknown>): MetricCollector => ({
  keptMs: 0,
  async read() {
    const startedAt = performance.now()
    await ping()
    up.set(1)
    seconds.set((performance.now() - startedAt) / 1000)
  },
  leaveOut() {
    up.set(0)
    clearGauge(seconds)
  },
})

/** Limits a scrape, too. Prometheus would wait up to 10 s. */
export const metricTimeoutMs = 1500

export function cacheCollector(deps: Pick<Deps, 'now'>, figure: MetricCollector): () => Promise<void> {
  let readAt: number | null = null
  const read = coalesceRuns(async () => {
    const startedAt = deps.now().getTime()
    await figure.read()
    readAt = startedAt
  })

  return async () => {
    if (readAt !== null && Math.abs(deps.now().getTime() - readAt) < figure.keptMs) return
    if (!(await succeedsWithin(read(), metricTimeoutMs))) figure.leaveOut()
  }
}
