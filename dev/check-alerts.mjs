// `npm run alerts`: checks the metrics and ops/alerts.yml with promtool of Prometheus, and runs ops/alerts.test.yml.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { say } from './setup/run.mjs'
import { needPromtool } from './setup/tools.mjs'

const cwd = fileURLToPath(new URL('..', import.meta.url))

/** Runs a program. Returns whether it exits with 0. */
function succeeds(program, args, stdin) {
  const { status } = spawnSync(program, args, { cwd, input: stdin, stdio: ['pipe', 'inherit', 'inherit'] })
  return status === 0
}

const showMetrics = ['dev/show-metrics.ts']

try {
  const promtool = await needPromtool()
  const metrics = spawnSync(process.execPath, showMetrics, { cwd, encoding: 'utf8' })
  const results = [
    metrics.status === 0 && succeeds(promtool, ['check', 'metrics'], metrics.stdout),
    succeeds(promtool, ['check', 'rules', 'ops/alerts.yml']),
    succeeds(promtool, ['test', 'rules', 'ops/alerts.test.yml']),
  ]
  if (results.includes(false)) process.exitCode = 1
} catch (error) {
  say(error.message)
  process.exitCode = 1
}
