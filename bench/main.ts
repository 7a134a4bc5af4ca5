// `npm run bench`: what the service does per second, as a share of what a bare process does on the same machine.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { endWithParent } from '../dev/end-with-parent.mjs'
import { startMongo, startRedis } from '../dev/servers.ts'
import { type Asked, readArguments } from './arguments.ts'
import { measureCreate } from './create.ts'
import { measureDeliver } from './deliver.ts'
import { printHot } from './hot.ts'
import { findNode } from './node.ts'
import type { Bench } from './rounds.ts'
import { figureLine, type Line, printTable, rateLine } from './table.ts'

/** Five times what all of it takes on two busy cores. */
const LIMIT_MS = 10 * 60_000

/** The process of each benchmark whose profile is shown. */
const profiled = [
  ['create', 'web'],
  ['deliver', 'worker'],
] as const

endWithParent()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
setTimeout(() => fail(new Error('The benchmark did not end in time.')), LIMIT_MS).unref()
// Whatever way this process ends, those it started end with it.
await run().then(() => process.exit(0), fail)

async function run(): Promise<void> {
  const asked = readArguments()
  const folder = asked.profile ? resolve('.data', 'bench') : temporaryFolder()
  const node = findNode()
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [mongo, redis] = await Promise.all([startMongo(), startRedis()])
  console.log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, load before ${loadavg()[0]?.toFixed(1)}; ` +
      `Node ${node.version} (${node.from}), MongoDB ${mongo.version}, Redis ${redis.version}`,
  )
  const lines = await measure(asked, {
    where: { node: node.path, folder, profile: asked.profile },
    mongodbUrl: (database) => mongo.url.replace(/[^/]*$/, database),
    redisUrl: redis.url,
    ...asked,
  })
  console.log(`\nMedian (least–most) of ${asked.rounds} rounds; a ratio compares the two sides of one round.`)
  printTable(lines)
  for (const [name, process] of profiled)
    if (asked.profile && asked.benchmarks.has(name)) printHot(process, join(folder, `${process}.cpuprofile`))
}

async function measure({ benchmarks }: Asked, bench: Bench): Promise<Line[]> {
  const lines: Line[] = []
  if (benchmarks.has('create')) {
    console.log(
      'create: POST /dev/intents of one `web` ÷ a bare Express 5 route with one insertOne; both w:majority j:true, ' +
        `64 connections, ${bench.seconds} s in turns`,
    )
    const pairs = await measureCreate(bench)
    lines.push(rateLine('create, requests/s', pairs, '0.6'))
    lines.push(figureLine('  p50, ms', pairs, ({ p50 }) => p50))
    lines.push(figureLine('  p99, ms', pairs, ({ p99 }) => p99))
  }
  if (benchmarks.has('deliver')) {
    console.log(
      'deliver: one `worker` draining what is due to 20 endpoints ÷ a bare BullMQ worker with undici; both 200 at a ' +
        `time, ${bench.deliveries} in turns, first to last arrival at one receiver`,
    )
    lines.push(rateLine('deliver, deliveries/s', await measureDeliver(bench), '0.3, and 1500/s'))
  }
  return lines
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payment-intents-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function fail(error: Error): never {
  console.error(error.message)
  process.exit(1)
}
