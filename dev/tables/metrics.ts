import { createMetrics } from '../../src/metrics/metrics.ts'
import { code, tableOf } from '../markdown.ts'

interface Described {
  name: string
  help: string
  type: string
  labelNames: readonly string[]
}

/** The metrics of the service, without their common prefix. */
export const table = (): string => {
  const described = createMetrics().registry.getMetricsAsArray() as unknown as Described[]
  return tableOf(
    ['Metric', 'Type', 'Labels', 'Meaning'],
    described.map(({ name, type, labelNames, help }) => [
      code(name.replace('payment_intents_', '')),
      type,
      labelNames.map(code).join(', '),
      help,
    ]),
  )
}
