// Runs a suite: `node dev/run-tests.mjs test` or `kills`, followed by arguments for mocha, if any. The tests spend much
// of their time waiting for timers and processes. A suite therefore runs as concurrent parts, each with its own
// servers. With arguments for mocha, the tests run as a single part.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { endWithParent } from './end-with-parent.mjs'

const KILLS = /^kills\//
const SUITES = {
  test: { parts: 4, includes: (file) => !KILLS.test(file) },
  kills: { parts: 3, includes: (file) => KILLS.test(file) },
}

/** The slowest files and their seconds in one part, as the test reporter prints them. All other files are fast. */
const SLOW_FILES = {
  'admin/cancel-intents.test.ts': 53,
  'kills/clock-skew.test.ts': 51,
  'workers/large-outboxes.test.ts': 50,
  'admin/audit-seals.test.ts': 35,
  'workers/without-redis.test.ts': 33,
  'admin/command-line.test.ts': 32,
  'kills/kill-points.test.ts': 32,
  'kills/restart-in-place.test.ts': 32,
  'kills/processes.test.ts': 30,
  'store/import-kills.test.ts': 30,
  'wallets/sandbox-wallet.test.ts': 28,
  'kills/payment-kill-points.test.ts': 27,
  'kills/rolling-restart.test.ts': 27,
  'ops/redis-kinds.test.ts': 25,
  'checkout/lookup-limit.test.ts': 23,
  'admin/requeue-deliveries.test.ts': 23,
  'kills/mongodb.test.ts': 22,
  'kills/redis.test.ts': 20,
  'kills/redis-failover.test.ts': 20,
  'api/unread-responses.test.ts': 20,
  'ops/backup.test.ts': 20,
  'admin/staff-acts.test.ts': 20,
  'kills/starting.test.ts': 18,
  'api/visitor-limits.test.ts': 18,
  'workers/stop-endpoint.test.ts': 17,
  'kills/replay-kills.test.ts': 14,
  'admin/replay-page.test.ts': 10,
  'webhooks/replay.test.ts': 8,
  'workers/isolation.test.ts': 15,
  'api/rate-limits.test.ts': 15,
  'api/list-limits.test.ts': 15,
  'admin/sign-in.test.ts': 15,
  'admin/secrets-command.test.ts': 15,
  'workers/restore-jobs.test.ts': 14,
  'store/import-races.test.ts': 14,
  'wallets/sandbox-wallet-kills.test.ts': 13,
  'api/model/model.test.ts': 13,
  'api/large-pages.test.ts': 13,
  'api/idempotency-lost-claims.test.ts': 13,
  'store/product-kills.test.ts': 12,
  'kills/live-payments.test.ts': 12,
  'checkout/pin-limit.test.ts': 12,
  'api/slow-connections.test.ts': 12,
  'api/idempotency-claims.test.ts': 12,
  'admin/show-commands.test.ts': 12,
  'admin/audited-acts.test.ts': 12,
  'workers/cancel-or-expire.test.ts': 11,
  'docs/programs.test.ts': 11,
  'dev/stack.test.ts': 11,
  'workers/tracing.test.ts': 10,
  'cli/listen.test.ts': 10,
  'workers/poll.test.ts': 10,
  'workers/delivery-jobs.test.ts': 10,
  'dev/servers.test.ts': 10,
  'admin/staff-accounts.test.ts': 10,
  'kills/live-kills.test.ts': 9,
  'kills/live-processes.test.ts': 9,
  'admin/board-retry.test.ts': 9,
  'kills/retention-kills.test.ts': 8,
}
const FAST_FILE_SECONDS = 1.5

const [suite, ...given] = process.argv.slice(2)
const env = { ...serverData(), ...process.env }

endWithParent()
const runs = given.length > 0 ? [start(given)] : distributeFiles(SUITES[suite]).map(start)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal))
// Prints the output of one part after the other.
for (const run of runs) {
  run.show()
  await run.ended
}
if (runs.length > 1) console.log(figuresIn(runs.map(({ output }) => output.join('')).join('')))
process.exitCode = runs.map(({ child }) => child.exitCode ?? 1).find((code) => code !== 0) ?? 0

/**
 * Distributes the files so that all parts take about as long: the slowest files first, each to the part that has the
 * least to do. Mocha skips the files that match `ignore` in .mocharc.json.
 */
function distributeFiles({ parts: count, includes }) {
  const secondsOf = (file) => SLOW_FILES[file] ?? FAST_FILE_SECONDS
  const files = readdirSync('test', { recursive: true })
    .filter((name) => name.endsWith('.test.ts') && includes(name))
    .sort((one, other) => secondsOf(other) - secondsOf(one) || one.localeCompare(other))
  const parts = Array.from({ length: count }, () => ({ seconds: 0, files: [] }))
  for (const file of files) {
    const [part] = parts.toSorted((one, other) => one.seconds - other.seconds)
    part.seconds += secondsOf(file)
    part.files.push(join('test', file))
  }
  return parts.map((part) => part.files)
}

function start(args) {
  const color = process.stdout.isTTY ? ['--color'] : []
  const mocha = ['node_modules/mocha/bin/mocha.js', ...color, ...args]
  const child = spawn(process.execPath, mocha, { env, stdio: ['inherit', 'pipe', 'inherit'] })
  const output = []
  // Reads from the start, because unread output is lost when the process ends.
  child.stdout.setEncoding('utf8').on('data', (text) => output.push(text))
  const show = () => {
    process.stdout.write(output.join(''))
    child.stdout.on('data', (text) => process.stdout.write(text))
  }
  return { child, output, show, ended: once(child, 'close') }
}

function stop(signal) {
  // Ctrl-C at a terminal already reaches the children. A second signal could end them at once.
  if (signal !== 'SIGINT' || !process.stdin.isTTY) for (const { child } of runs) child.kill(signal)
}

/** Sums up the last lines of all parts (test/support/reporter.ts). CI reads the sum. */
function figuresIn(text) {
  const figures = [...text.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)]
  const sum = (group) => figures.reduce((total, found) => total + Number(found[group] ?? 0), 0)
  const skipped = sum(3)
  return `${sum(1)} passed, ${sum(2)} failed${skipped ? `, ${skipped} skipped` : ''}`
}

/**
 * Keeps the data of the servers in memory, where a database is created five times as fast. Docker's 64 MB are too
 * little.
 */
function serverData() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= 4 * 1024 ** 3 ? { SERVER_DATA_IN: '/dev/shm' } : {}
  } catch {
    return {}
  }
}
