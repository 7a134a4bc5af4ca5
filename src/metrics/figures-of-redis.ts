import type { Deps } from '../deps.ts'
import { briefMs, type Figure, figureOf, minuteMs, pingOf } from './figure.ts'

/**
 * Returns the figures that a scrape reads from Redis. If Redis forbids `INFO` or `CLIENT LIST`, the gauges based on the
 * forbidden command have no value.
 */
export function figuresOfRedis({ metrics: { gauges }, queues }: Deps): Figure[] {
  const { counts } = queues
  return [
    pingOf(gauges.redisUp, gauges.redisPing, () => queues.ping()),
    figureOf([gauges.redisMemory, gauges.redisEvicts], briefMs, async () => {
      const { usedBytes, maxBytes, evicts } = await counts.memory()
      gauges.redisMemory.set({ kind: 'used' }, usedBytes)
      if (maxBytes === null) gauges.redisMemory.remove({ kind: 'most' })
      else gauges.redisMemory.set({ kind: 'most' }, maxBytes)
      gauges.redisEvicts.set(evicts ? 1 : 0)
    }),
    figureOf([gauges.queueJobs], briefMs, async () => {
      for (const [queue, jobs] of await counts.jobs())
        for (const [state, count] of Object.entries(jobs)) gauges.queueJobs.set({ queue, state }, count)
    }),
    figureOf([gauges.queueWorkers], minuteMs, async () => {
      for (const [queue, count] of await counts.workers()) gauges.queueWorkers.set({ queue }, count)
    }),
  ]
}
