import type { Registry } from '@prometheus-io/client'
import * as figures from '../metrics/figure.ts'
import type { Deps } from '../platform/deps.ts'
import { minuteMs } from '../platform/time.ts'
import { mongoMetricCollectors } from './figures-of-mongo.ts'

type Measured = 'capacity' | 'databaseTime' | 'lists' | 'metrics' | 'now' | 'queues' | 'slots' | 'slowHash'
type ScrapeDeps = Pick<Deps, Measured>

/** Takes at most 2 s. Never throws. */
export function createScrape(deps: ScrapeDeps): () => Promise<Registry> {
  const refreshes = [...mongoMetricCollectors(deps), ...figuresOfRedis(deps)].map((figure) =>
    figures.cacheCollector(deps, figure),
  )
  return async () => {
    await Promise.all(refreshes.map((refresh) => refresh()))
    showOwn(deps)
    return deps.metrics.registry
  }
}

function showOwn(deps: ScrapeDeps): void {
  const { slots } = deps
  const { gauges } = deps.metrics
  const { fast, slow } = slots.used()
  const used = { ...deps.capacity.used(), ...deps.slowHash.used(), ...slots.used() }
  for (const [limit, amount] of Object.entries(used)) gauges.capacityUsed.set({ limit }, amount)
  gauges.processClockSkew.set(deps.databaseTime.skewMs() / 1000)
  if (!slots.isOpen()) return
  gauges.attemptsInFlight.set({ slots: 'fast' }, fast)
  gauges.attemptsInFlight.set({ slots: 'slow' }, slow)
  gauges.endpointsWaiting.set(slots.waiting().length)
}

/** If Redis forbids `INFO` or `CLIENT LIST`, some gauges have no value. */
function figuresOfRedis({ metrics: { gauges }, queues }: ScrapeDeps): figures.MetricCollector[] {
  const { counts } = queues
  return [
    figures.pingCollector(gauges.redisUp, gauges.redisPing, () => queues.ping()),
    figures.gaugeCollector([gauges.redisMemory, gauges.redisEvicts], figures.briefCacheMs, async () => {
      const { usedBytes, maxBytes, evicts } = await counts.memory()
      gauges.redisMemory.set({ kind: 'used' }, usedBytes)
      if (maxBytes === null) gauges.redisMemory.remove({ kind: 'most' })
      else gauges.redisMemory.set({ kind: 'most' }, maxBytes)
      gauges.redisEvicts.set(evicts ? 1 : 0)
    }),
    figures.gaugeCollector([gauges.queueJobs], figures.briefCacheMs, async () => {
      for (const [queue, jobs] of await counts.jobs())
        for (const [state, count] of Object.entries(jobs)) gauges.queueJobs.set({ queue, state }, count)
    }),
    figures.gaugeCollector([gauges.queueWorkers], minuteMs, async () => {
      for (const [queue, count] of await counts.workers()) gauges.queueWorkers.set({ queue }, count)
    }),
  ]
}
