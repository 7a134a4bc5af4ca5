import { createMetrics } from '../../src/metrics/metrics.ts'
import { code, tableOf } from '../markdown.ts'

interface Described {
  name: string
  help: string
  labelNames: readonly string[]
}

/** The metrics of the service, without their common prefix. */
export const table = (): string => {
  const described = createMetrics().registry.getMetricsAsArray() as unknown as Described[]
  return tableOf(
    ['Metric', 'Labels', 'Meaning'],
    described.map(({ name, labelNames, help }) => [
      code(name.replace('payment_intents_', '')),
      labelNames.map(code).join(', '),
      help,
    ]),
  )
}
