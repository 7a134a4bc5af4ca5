import { Registry } from 'prom-client'
import { beginAtZero } from './begin-at-zero.ts'
import { createCounted } from './counted.ts'
import { createGauges } from './gauges.ts'

/**
 * The service's metrics for Prometheus. Every label has few values: never a key or an address, and no ids except those
 * of the ten largest businesses.
 */
export type Metrics = ReturnType<typeof createMetrics>

/** Each `deps` has its own registry, so that two services in one process count separately. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counted = createCounted(registers)
  beginAtZero(counted)
  return { registry, ...counted, gauges: createGauges(registers) }
}

/** The value of the label `environment`. */
export const environmentOf = ({ sandbox }: { sandbox: boolean }): 'test' | 'live' =>
  sandbox ? 'test' : 'live'
