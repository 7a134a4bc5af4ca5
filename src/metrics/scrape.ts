import type { Deps } from '../deps.ts'
import { createRefresh } from './figure.ts'
import { figuresOfMongo } from './figures-of-mongo.ts'
import { figuresOfRedis } from './figures-of-redis.ts'

/**
 * Creates the function that returns all metrics in the Prometheus text format. That function takes at most 2 s and
 * never throws. Values that cannot be read are omitted.
 */
export function createScrape(deps: Deps): () => Promise<string> {
  const refreshes = [...figuresOfMongo(deps), ...figuresOfRedis(deps)].map((figure) => createRefresh(deps, figure))
  return async () => {
    await Promise.all(refreshes.map((refresh) => refresh()))
    showOwn(deps)
    return deps.metrics.registry.metrics()
  }
}

/** Sets the gauges that describe this process. Only workers have slots. */
function showOwn({ databaseTime, capacity, slowHash, slots, metrics: { gauges } }: Deps): void {
  const { fast, slow } = slots.used()
  const used = { ...capacity.used(), ...slowHash.used(), ...slots.used() }
  for (const [limit, amount] of Object.entries(used)) gauges.capacityUsed.set({ limit }, amount)
  gauges.processClockSkew.set(databaseTime.skewMs() / 1000)
  if (!slots.isOpen()) return
  gauges.attemptsInFlight.set({ slots: 'fast' }, fast)
  gauges.attemptsInFlight.set({ slots: 'slow' }, slow)
  gauges.endpointsWaiting.set(slots.waiting().length)
}
