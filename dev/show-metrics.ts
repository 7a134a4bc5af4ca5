import { measureProcess } from '../src/metrics/measure-process.ts'
import { createMetrics } from '../src/metrics/metrics.ts'

/** Prints every metric in Prometheus' text format, those without labels with a value: for `promtool check metrics`. */
const metrics = createMetrics()
measureProcess(metrics)
process.stdout.write(await metrics.registry.metrics())
