// `npm run alerts`: what Prometheus itself says of the metrics and of ops/alerts.yml, and what the alerts do in ops/alerts.test.yml.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { needPromtool } from './setup/promtool.mjs'
import { say } from './setup/say.mjs'

const cwd = fileURLToPath(new URL('..', import.meta.url))

/** Whether a program came to a good end. `stdin`: what it reads. */
function succeeds(program, args, stdin) {
  const { status } = spawnSync(program, args, { cwd, input: stdin, stdio: ['pipe', 'inherit', 'inherit'] })
  return status === 0
}

const showMetrics = ['--import', 'tsx', 'dev/show-metrics.ts']

try {
  const promtool = await needPromtool()
  const metrics = spawnSync(process.execPath, showMetrics, { cwd, encoding: 'utf8' })
  const fine = [
    metrics.status === 0 && succeeds(promtool, ['check', 'metrics'], metrics.stdout),
    succeeds(promtool, ['check', 'rules', 'ops/alerts.yml']),
    succeeds(promtool, ['test', 'rules', 'ops/alerts.test.yml']),
  ]
  if (fine.includes(false)) process.exitCode = 1
} catch (error) {
  say(error.message)
  process.exitCode = 1
}
