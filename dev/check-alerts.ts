// `npm run alerts`: checks the metrics and ops/alerts.yml with Prometheus's promtool, and runs ops/alerts.test.yml.
import { spawnSync } from 'node:child_process'
import { addProcessMetrics, createMetrics } from '../src/metrics/metrics.ts'
import { say } from './setup/run.mjs'
import { needTool } from './setup/tools.mjs'

try {
  const promtool = await needTool('promtool')
  const metrics = createMetrics()
  addProcessMetrics(metrics)
  const input = await metrics.registry.metrics()
  for (const words of ['check metrics', 'check rules ops/alerts.yml', 'test rules ops/alerts.test.yml']) {
    const { status } = spawnSync(promtool, words.split(' '), { input, stdio: ['pipe', 'inherit', 'inherit'] })
    if (status !== 0) process.exitCode = 1
  }
} catch (error) {
  say((error as Error).message)
  process.exitCode = 1
}
process.exit()
