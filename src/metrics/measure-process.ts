import { collectDefaultMetrics } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** Collecting these metrics iterates over every open connection, and their names violate Prometheus' naming rules. */
const leftOut = ['handles', 'requests', 'resources'].flatMap((kind) => [
  `nodejs_active_${kind}`,
  `nodejs_active_${kind}_total`,
])

/**
 * Adds the metrics of the Node process: CPU, memory, event loop and garbage collection. May run only once per process,
 * so it is not part of `createMetrics`, which tests call many times.
 */
export function measureProcess({ registry }: Pick<Metrics, 'registry'>): void {
  collectDefaultMetrics({ register: registry })
  for (const name of leftOut) registry.removeSingleMetric(name)
}
