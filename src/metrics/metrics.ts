import { Registry } from '@prometheus-io/client'
import { beginAtZero } from './begin-at-zero.ts'
import { createCounted } from './counted.ts'
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
