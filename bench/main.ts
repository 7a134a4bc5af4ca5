// `npm run bench`: measures the service against a bare process on the same machine, or against itself under less load.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { constants, cpus, loadavg, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { endWithParent } from '../dev/end-with-parent.mjs'
import { startMongo, startRedis } from '../dev/servers.ts'
import { built } from '../test/support/built.ts'
import { printTable } from '../test/support/table.ts'
import type { Line } from './benchmark.ts'
import { benchmarks } from './benchmarks.ts'
import { readOptions } from './options.ts'
import { programsIn } from './processes.ts'
import { lineTable } from './table.ts'

/** How much slower than two idle cores a busy machine may be. */
const MAX_SLOWDOWN = 5
/** For compiling the service and starting MongoDB and Redis. */
const START_LIMIT_MS = 10 * 60_000

endWithParent()
// Not `once`: a second signal would end this process before it has removed its files.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
// Child processes end with this one.
await run().then(() => process.exit(0), fail)

async function run(): Promise<void> {
  const options = readOptions(Object.keys(benchmarks))
  const folder = options.profile ? keptFolder() : temporaryFolder()
  const starting = failAfter(START_LIMIT_MS)
  const programs = programsIn(built())
  const [mongo, redis] = await Promise.all([startMongo(), startRedis()])
  console.log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, load before ${loadavg()[0]?.toFixed(1)}; ` +
      `Node ${process.versions.node}, MongoDB ${mongo.version}, Redis ${redis.version}`,
  )
  const bench = {
    runtime: { programs, folder, profile: options.profile },
    mongodbUrl: (database: string) => mongo.url.replace('/payment_intents', `/${database}`),
    redisUrl: redis.url,
    pids: { mongo: () => mongo.pid ?? 0, redis: () => redis.pid ?? 0 },
    ...options,
  }
  clearTimeout(starting)
  const chosen = Object.entries(benchmarks).filter(([name]) => options.benchmarks.has(name))
  const seconds = chosen.reduce((sum, [, { takesSeconds }]) => sum + takesSeconds(bench), 0)
  console.log(`About ${Math.ceil(seconds / 60)} minutes on two idle cores`)
  failAfter(MAX_SLOWDOWN * seconds * 1000 + START_LIMIT_MS)
  const lines: Line[] = []
  try {
    for (const [name, { describe, measure, takesSeconds }] of chosen) {
      const startedAt = performance.now()
      console.log(`${name}: ${describe(bench)}`)
      await emptyRedis(redis.url)
      lines.push(...(await measure(bench)))
      const took = (performance.now() - startedAt) / 1000
      console.log(`  took ${took.toFixed(0)} s; the estimate was ${takesSeconds(bench).toFixed(0)} s`)
    }
  } finally {
    console.log(
      `\nMedian (least–most) of ${options.rounds} rounds where there are three figures; load after ${loadavg()[0]?.toFixed(1)}.`,
    )
    printTable(lineTable(lines))
  }
  if (options.profile) printHot(folder)
}

async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url)
  await redis.flushall()
  await redis.quit()
}

function failAfter(ms: number): NodeJS.Timeout {
  return setTimeout(() => fail(new Error('The benchmark did not end in time.')), ms).unref()
}

/** One per run, so that two runs at once don't overwrite each other's files. */
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

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
  timeDeltas: number[]
}

function printHot(folder: string): void {
  for (const name of readdirSync(folder)) if (name.endsWith('.cpuprofile')) printOne(join(folder, name))
}

function printOne(file: string): void {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile
  const locations = new Map(profile.nodes.map((node) => [node.id, locationOf(node.callFrame)]))
  const timeByLocation = new Map<string, number>()
  profile.samples.forEach((id, index) => {
    const location = locations.get(id) ?? ''
    timeByLocation.set(location, (timeByLocation.get(location) ?? 0) + (profile.timeDeltas[index] ?? 0))
  })
  const idle = timeByLocation.get('(idle)') ?? 0
  timeByLocation.delete('(idle)')
  const busy = [...timeByLocation.values()].reduce((sum, each) => sum + each, 0)
  console.log(`\n${file}: busy ${Math.round((100 * busy) / (busy + idle))} % of the time; self time:`)
  const hottest = [...timeByLocation].sort(([, one], [, other]) => other - one).slice(0, 30)
  for (const [location, micros] of hottest)
    console.log(`${((100 * micros) / busy).toFixed(1).padStart(6)} %  ${location}`)
}

function locationOf({ functionName, url, lineNumber }: CpuProfile['nodes'][0]['callFrame']): string {
  if (url === '') return functionName
  const file = url.startsWith('file:') ? relative('.', fileURLToPath(url)) : url
  return `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`
}
