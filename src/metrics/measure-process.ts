import { collectDefaultMetrics } from 'prom-client'
import type { Metrics } from './metrics.ts'

/**
 * These metrics are left out because collecting them iterates over all open connections, and because their names
 * violate Prometheus naming rules.
 */
const leftOut = ['handles', 'requests', 'resources'].flatMap((kind) => [
  `nodejs_active_${kind}`,
  `nodejs_active_${kind}_total`,
])

/**
 * Adds the metrics for the Node.js process: CPU, memory, event loop and garbage collection. This function must be
 * called only once per process, so it is not part of `createMetrics`, which tests call many times.
 */
export function measureProcess({ registry }: Pick<Metrics, 'registry'>): void {
  collectDefaultMetrics({ register: registry })
  for (const name of leftOut) registry.removeSingleMetric(name)
}
