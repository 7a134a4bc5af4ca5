import { collectDefaultMetrics } from '@prometheus-io/client'
import type { Metrics } from './metrics.ts'

/**
 * These metrics are left out. The first ones iterate over all open connections, and their names violate Prometheus
 * naming rules. The last two need a timer that fires ten times per second.
 */
const leftOut = [
  ...['handles', 'requests', 'resources'].flatMap((kind) => [`nodejs_active_${kind}`, `nodejs_active_${kind}_total`]),
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
]

const dayMs = 24 * 3_600_000

/**
 * Adds the metrics for the Node.js process: CPU, memory, event loop and garbage collection. This function must be
 * called only once per process, so it is not part of `createMetrics`, which tests call many times.
 */
export function measureProcess({ registry }: Pick<Metrics, 'registry'>): void {
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: dayMs })
  for (const name of leftOut) registry.removeSingleMetric(name)
}
