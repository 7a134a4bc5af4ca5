import { Registry } from 'prom-client'
import { beginAtZero } from './begin-at-zero.ts'
import { createCounted } from './counted.ts'
import { createGauges } from './gauges.ts'

/**
 * What can be seen of the service from outside, for Prometheus. Every label has few values: no key and no address is ever one, and
 * no id but those of the ten businesses with most.
 */
export type Metrics = ReturnType<typeof createMetrics>

/** A registry of its own for each `deps`, so that two services in one process do not add up. */
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
