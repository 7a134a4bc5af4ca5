import type { Deps } from '../deps.ts'
import { createRefresh } from './figure.ts'
import { figuresOfMongo } from './figures-of-mongo.ts'
import { figuresOfRedis } from './figures-of-redis.ts'

/** Everything in Prometheus' text format. Takes 2 s at most and never fails: what does not answer is left out. */
export function createScrape(deps: Deps): () => Promise<string> {
  const refreshes = [...figuresOfMongo(deps), ...figuresOfRedis(deps)].map((figure) =>
    createRefresh(deps, figure),
  )
  return async () => {
    await Promise.all(refreshes.map((refresh) => refresh()))
    deps.metrics.gauges.processClockSkew.set(deps.databaseTime.skewMs() / 1000)
    return deps.metrics.registry.metrics()
  }
}
