import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../dev/servers/ask.ts'

export interface Where {
  /** The Node.js that runs them. */
  node: string
  /** The scripts of the service, compiled. */
  programs: { web: string; worker: string }
  /** What they print goes into a file of their name here. */
  folder: string
  /** Whether they write a CPU profile, `<name>.cpuprofile`, when they end. */
  profile: boolean
}

export interface Running {
  pid: number
  end(): Promise<void>
}

const START_LIMIT_MS = 20_000
const END_LIMIT_MS = 15_000
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
const preload = resolve('bench/end-with-parent.mjs')

/** Limits that no benchmark reaches. The service checks them all the same. */
const beyondReach = {
  RATE_LIMIT_PER_SECOND: '1000',
  LIVE_CODES_PER_BUSINESS: '1000000',
  SANDBOX_INTENTS_PER_DAY: '1000000000',
}

/** Starts a script as a process of its own; it ends with this one. */
export function startProcess(
  where: Where,
  name: string,
  script: string,
  environment: Record<string, string>,
): Running {
  const child = launch(where, name, [script], { ...beyondReach, ...environment })
  child.once('exit', (code) => {
    if (code) fail(`${name} ended with code ${code}: ${lastWords(where, name)}`)
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

/** Runs a script to its end; answers the JSON in the last line it printed. */
export async function runProcess<Answer>(
  where: Where,
  name: string,
  script: string,
  args: string[],
): Promise<Answer> {
  const child = launch({ ...where, profile: false }, name, [script, ...args], {})
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${name} ended with code ${code}: ${lastWords(where, name)}`)
  return JSON.parse(lastWords(where, name)) as Answer
}

/** Resolves when something listens on the port. */
export async function listening(port: number): Promise<void> {
  const giveUpAt = performance.now() + START_LIMIT_MS
  while ((await ask(port)) === undefined) {
    if (performance.now() > giveUpAt) throw new Error(`nothing listens on port ${port}`)
    await pause(20)
  }
}

function launch(
  { node, folder, profile }: Where,
  name: string,
  args: string[],
  environment: Record<string, string>,
): ChildProcess {
  mkdirSync(folder, { recursive: true })
  // A file, as a service's log costs its write in real life too.
  rmSync(logOf(folder, name), { force: true })
  const log = openSync(logOf(folder, name), 'a')
  const profiling = profile
    ? ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${name}.cpuprofile`]
    : []
  const child = spawn(node, ['--import', preload, ...profiling, ...args], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', log, log],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

const logOf = (folder: string, name: string): string => join(folder, `${name}.log`)

const lastWords = ({ folder }: Where, name: string): string =>
  readFileSync(logOf(folder, name), 'utf8').trim().split('\n').at(-1) ?? ''

/** A process that dies by itself makes every figure worthless. */
function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
