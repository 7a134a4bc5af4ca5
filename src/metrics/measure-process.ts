import { collectDefaultMetrics } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** Whoever counts these walks over every open connection, and Prometheus' own rules object to their names. */
const leftOut = ['handles', 'requests', 'resources'].flatMap((kind) => [
  `nodejs_active_${kind}`,
  `nodejs_active_${kind}_total`,
])

/**
 * Adds what Node tells of its process: CPU, memory, event loop, garbage collection. Once in a process, which it watches from then on; so
 * `deps`, of which there may be many, do not.
 */
export function measureProcess({ registry }: Pick<Metrics, 'registry'>): void {
  collectDefaultMetrics({ register: registry })
  for (const name of leftOut) registry.removeSingleMetric(name)
}
