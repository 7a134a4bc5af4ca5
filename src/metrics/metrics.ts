import { collectDefaultMetrics, Registry } from '@prometheus-io/client'
import { beginAtZero, createCounted } from './counted.ts'
import { createGauges } from './gauges.ts'

/**
 * The service's metrics for Prometheus. Every label has only a few values at a time. Labels contain no keys or
 * addresses, and the only ids are those of the ten businesses for which a metric is highest.
 */
export type Metrics = ReturnType<typeof createMetrics>

/**
 * Creates the metrics. Each `deps` has a separate registry, so that two services in the same process do not share
 * counters.
 */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counted = createCounted(registers)
  beginAtZero(counted)
  return { registry, ...counted, gauges: createGauges(registers) }
}

/** Returns the value of the `environment` label. */
export const environmentOf = ({ sandbox }: { sandbox: boolean }): 'test' | 'live' => (sandbox ? 'test' : 'live')

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
