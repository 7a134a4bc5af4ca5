import { createMetrics, measureProcess } from '../src/metrics/metrics.ts'

/** Prints every metric in the text format of Prometheus, for `promtool check metrics`. */
const metrics = createMetrics()
measureProcess(metrics)
process.stdout.write(await metrics.registry.metrics())
