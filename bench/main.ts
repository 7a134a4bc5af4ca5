// `npm run bench`: how fast the service is, as a share of what a bare process does on the same machine, or of itself undisturbed.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Redis } from 'ioredis'
import { endWithParent } from '../dev/end-with-parent.mjs'
import { startMongo, startRedis } from '../dev/servers.ts'
import { built } from '../test/support/built.ts'
import { printTable } from '../test/support/table.ts'
import { readArguments } from './arguments.ts'
import { benchmarks } from './benchmarks.ts'
import { printHot } from './hot.ts'
import { findNode } from './node.ts'
import { type Line, lineTable } from './table.ts'

/** By how much a busy machine may be slower than two idle cores. */
const PATIENCE = 5
/** So long the service may put off who fails, as all do in `redis-bytes`. */
const PUT_OFF_MS = 15 * 60_000
/** To get MongoDB, Redis and Node.js, where the machine lacks them. */
const START_LIMIT_MS = 10 * 60_000

endWithParent()
// Not `once`: a second signal on the way out would end it before it has tidied up.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
// Whatever way this process ends, those it started end with it.
await run().then(() => process.exit(0), fail)

async function run(): Promise<void> {
  const asked = readArguments(Object.keys(benchmarks))
  const folder = asked.profile ? keptFolder() : temporaryFolder()
  const starting = limit(START_LIMIT_MS)
  const node = findNode()
  const build = built()
  const programs = { web: join(build, 'src/server.js'), worker: join(build, 'workers/main.js') }
  const [mongo, redis] = await Promise.all([startMongo(), startRedis()])
  console.log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, load before ${loadavg()[0]?.toFixed(1)}; ` +
      `Node ${node.version} (${node.from}), MongoDB ${mongo.version}, Redis ${redis.version}`,
  )
  const bench = {
    where: { node: node.path, programs, folder, profile: asked.profile },
    mongodbUrl: (database: string) => mongo.url.replace(/[^/]*$/, database),
    redisUrl: redis.url,
    pids: { mongo: () => mongo.pid ?? 0, redis: () => redis.pid ?? 0 },
    emptyRedis: () => emptyRedis(redis.url),
    ...asked,
  }
  clearTimeout(starting)
  const chosen = Object.entries(benchmarks).filter(([name]) => asked.benchmarks.has(name))
  const seconds = chosen.reduce((sum, [, { takesSeconds }]) => sum + takesSeconds(bench), 0)
  console.log(`Some ${Math.ceil(seconds / 60)} minutes on two idle cores`)
  limit(PATIENCE * seconds * 1000 + PUT_OFF_MS)
  const lines: Line[] = []
  try {
    for (const [name, { says, measure, takesSeconds }] of chosen) {
      const beganAt = performance.now()
      console.log(`${name}: ${says(bench)}`)
      await bench.emptyRedis()
      lines.push(...(await measure(bench)))
      const took = (performance.now() - beganAt) / 1000
      console.log(`  that took ${took.toFixed(0)} s; by its parts ${takesSeconds(bench).toFixed(0)} s`)
    }
  } finally {
    const rounds = `Median (least–most) of ${asked.rounds} rounds where there are three figures`
    console.log(`\n${rounds}; load after ${loadavg()[0]?.toFixed(1)}.`)
    printTable(lineTable(lines))
  }
  if (asked.profile)
    for (const [, { profiled }] of chosen)
      for (const name of profiled) printHot(name, join(folder, `${name}.cpuprofile`))
}

async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url)
  await redis.flushall()
  await redis.quit()
}

function limit(ms: number): NodeJS.Timeout {
  return setTimeout(() => fail(new Error('The benchmark did not end in time.')), ms).unref()
}

/** Another for each run: two at once would write over each other's files. */
function keptFolder(): string {
  mkdirSync('.data/bench', { recursive: true })
  return mkdtempSync(resolve('.data/bench/run-'))
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
