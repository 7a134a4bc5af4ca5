import { createMetrics } from '../../src/metrics/metrics.ts'
import { code, tableOf } from '../markdown.ts'

interface Described {
  name: string
  help: string
  type: string
  labelNames: readonly string[]
}

/** The service's own metrics, in the order in which they are registered. */
export const table = (): string => {
  const described = createMetrics().registry.getMetricsAsArray() as unknown as Described[]
  return tableOf(
    ['Metric', 'Type', 'Labels', 'Meaning'],
    described.map(({ name, type, labelNames, help }) => [
      code(name),
      type,
      labelNames.map(code).join(', '),
      help,
    ]),
  )
}
