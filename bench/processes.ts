import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { query } from '../dev/servers/query.ts'
import { compile } from '../test/support/built.ts'

export const programsIn = (build: string) => ({
  web: join(build, 'src/server.js'),
  worker: join(build, 'workers/main.js'),
  release: join(build, 'src/release.js'),
  admin: join(build, 'src/admin/main.js'),
})

export function buildEarlier(checkout: string): Runtime['programs'] {
  const build = mkdtempSync(resolve('.data/test-build-'))
  process.once('exit', () => rmSync(build, { recursive: true, force: true }))
  compile(resolve(checkout), build)
  return programsIn(build)
}

export interface Runtime {
  /** Compiled from this checkout or an earlier one. */
  programs: ReturnType<typeof programsIn>
  /** Where each process writes its log, `<name>.log`. */
  folder: string
  /** Whether each process writes a CPU profile, `<name>.cpuprofile`, when it ends. */
  profile: boolean
}

export type Environment = Record<string, string>

export interface Running {
  pid: number
  end(): Promise<void>
}

const START_LIMIT_MS = 60_000
const END_LIMIT_MS = 15_000
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
const preload = resolve('bench/end-with-parent.mjs')

/** Limits that no benchmark reaches. The service still checks them. */
const beyondReach = {
  RATE_LIMIT_PER_SECOND: '1000',
  LIVE_CODES_PER_BUSINESS: '1000000',
  SANDBOX_INTENTS_PER_DAY: '1000000000',
  AUDIT_LINES_PER_DAY: '1000000000',
  LIVE_DOCUMENTS_PER_DAY: '1000000000',
  LIVE_BYTES_PER_DAY: '1000000000000',
  SANDBOX_BYTES_PER_DAY: '1000000000000',
}

export function startProcess(
  runtime: Runtime,
  name: string,
  script: string,
  environment: Environment,
): Running {
  const child = launch(runtime, name, [script], { ...beyondReach, ...environment })
  child.once('exit', (code) => {
    if (code) fail(`${name} ended with code ${code}: ${lastLine(runtime, name)}`)
  })
  return {
    pid: child.pid ?? 0,
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
      await ended
      clearTimeout(late)
    },
  }
}

/** The script gets its input as JSON. Returns the JSON in its last line of output. */
export async function runProcess<Result>(runtime: Runtime, script: string, input: object, name = script) {
  const child = launch(
    { ...runtime, profile: false },
    name,
    [`bench/${script}.ts`, JSON.stringify(input)],
    {},
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${name} ended with code ${code}: ${lastLine(runtime, name)}`)
  return JSON.parse(lastLine(runtime, name)) as Result
}

export async function listening(port: number): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS
  while ((await query(port)) === undefined) {
    if (performance.now() > deadline) throw new Error(`nothing listens on port ${port}`)
    await pause(20)
  }
}

function launch(
  { folder, profile }: Runtime,
  name: string,
  args: string[],
  environment: Environment,
): ChildProcess {
  mkdirSync(folder, { recursive: true })
  // Goes to a file, because a service in production also pays for writing its log.
  rmSync(logOf(folder, name), { force: true })
  const log = openSync(logOf(folder, name), 'a')
  const profiling = profile
    ? ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`]
    : []
  const child = spawn(process.execPath, ['--import', preload, ...profiling, ...args], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', log, log],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

const logOf = (folder: string, name: string): string => join(folder, `${name}.log`)

const lastLine = ({ folder }: Runtime, name: string): string =>
  readFileSync(logOf(folder, name), 'utf8').trim().split('\n').at(-1) ?? ''

/** Ends the run: after a process has died, every figure is worthless. */
function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
