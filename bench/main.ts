// `npm run bench`: how fast the service is, as a share of what a bare process does on the same machine, or of itself undisturbed.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Redis } from 'ioredis'
import { endWithParent } from '../dev/end-with-parent.mjs'
import { startMongo, startRedis } from '../dev/servers.ts'
import { readArguments } from './arguments.ts'
import { benchmarks } from './benchmarks.ts'
import { printHot } from './hot.ts'
import { findNode } from './node.ts'
import { type Line, lineTable, printTable } from './table.ts'

/** Three times what all of it takes on two busy cores, beside the minutes of `memory`. */
const LIMIT_MS = 120 * 60_000

endWithParent()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]))
setTimeout(() => fail(new Error('The benchmark did not end in time.')), LIMIT_MS).unref()
// Whatever way this process ends, those it started end with it.
await run().then(() => process.exit(0), fail)

async function run(): Promise<void> {
  const asked = readArguments(Object.keys(benchmarks))
  const folder = asked.profile ? resolve('.data', 'bench') : temporaryFolder()
  const node = findNode()
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [mongo, redis] = await Promise.all([startMongo(), startRedis()])
  console.log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, load before ${loadavg()[0]?.toFixed(1)}; ` +
      `Node ${node.version} (${node.from}), MongoDB ${mongo.version}, Redis ${redis.version}`,
  )
  const bench = {
    where: { node: node.path, folder, profile: asked.profile },
    mongodbUrl: (database: string) => mongo.url.replace(/[^/]*$/, database),
    redisUrl: redis.url,
    emptyRedis: () => emptyRedis(redis.url),
    ...asked,
  }
  const chosen = Object.entries(benchmarks).filter(([name]) => asked.benchmarks.has(name))
  const lines: Line[] = []
  try {
    for (const [name, { says, measure }] of chosen) {
      console.log(`${name}: ${says(bench)}`)
      await bench.emptyRedis()
      lines.push(...(await measure(bench)))
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

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payment-intents-bench-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function fail(error: Error): never {
  console.error(error.message)
  process.exit(1)
}
