import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../../dev/servers/free-port.ts'
import { programIn, programOf } from './built.ts'
import { startOptions } from './child.ts'
import { deadlineMs } from './machine.ts'
import { freshEnvironment, type Service } from './service.ts'
import { waitFor } from './wait-for.ts'

/** A process of the service as the Procfile starts it. */
export interface ServiceProcess {
  /** http://127.0.0.1:port; of `web` only. */
  origin: string
  isAlive(): boolean
  kill(signal: NodeJS.Signals): void
  /** Resolves to the exit code, or null if a signal ended the process. */
  exited: Promise<number | null>
  /** Waits for the first log line of an event. */
  logged(event: string): Promise<unknown>
  /** The last log lines and all lines that are not routine, to explain a failure. */
  recentLog(): string
  /** Kills the process, even if it is frozen. */
  stop(): Promise<void>
}

const files = { web: 'src/server', worker: 'workers/main' } as const

/** Starts a process on the service's database and queues and waits until it serves. */
export const startProcess = (
  type: keyof typeof files,
  service: Service,
  changes: Record<string, string> = {},
): Promise<ServiceProcess> => startAt(programOf(files[type]), type, service, changes)

/** Starts a process from the build of another version. */
export const startProcessOf = (
  build: string,
  type: keyof typeof files,
  service: Service,
  changes: Record<string, string>,
): Promise<ServiceProcess> => startAt(programIn(build, files[type]), type, service, changes)

async function startAt(
  program: string,
  type: keyof typeof files,
  service: Service,
  changes: Record<string, string>,
): Promise<ServiceProcess> {
  const port = changes.PORT ?? String(await freePort())
  const child = begin(program, service, { ...changes, PORT: port }, 'inherit')
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const { logged, lastWords } = listen(child)
  await Promise.race([
    logged(`${type}.started`),
    ended.then((code) => Promise.reject(new Error(`${type} ended with ${code}`))),
  ])
  return {
    origin: `http://127.0.0.1:${port}`,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: (signal) => void child.kill(signal),
    exited: ended,
    logged,
    recentLog: () => `${type}:\n${lastWords()}`,
    async stop() {
      child.kill('SIGCONT')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Starts a process that cannot serve. Returns its exit code and output. */
export async function runToExit(type: keyof typeof files, service: Service, changes: Record<string, string>) {
  const child = begin(programOf(files[type]), service, changes, 'pipe')
  let [stdout, stderr] = ['', '']
  child.stderr?.on('data', (bytes: Buffer) => (stderr += bytes.toString()))
  child.stdout?.on('data', (bytes: Buffer) => (stdout += bytes.toString()))
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs(15_000))
  const [exitCode] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  return { exitCode, stdout, stderr }
}

/** Starts a process that cannot serve yet and sends SIGTERM at a log event. Returns its exit code and recent log. */
export async function interruptAt(
  event: string,
  type: keyof typeof files,
  service: Service,
  changes: Record<string, string>,
) {
  const child = begin(programOf(files[type]), service, changes, 'inherit')
  const ended = once(child, 'exit')
  const { logged, lastWords } = listen(child)
  await logged(event)
  child.kill('SIGTERM')
  const [exitCode] = (await ended) as [number | null]
  return { exitCode, lastWords: lastWords() }
}

function begin(
  program: string,
  service: Service,
  changes: Record<string, string>,
  stderr: 'pipe' | 'inherit',
): ChildProcess {
  const { mongodbUrl, redisUrl, queuePrefix } = service.deps.config
  const environment = freshEnvironment({
    MONGODB_URL: mongodbUrl,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: queuePrefix,
    LOG_LEVEL: 'info',
    ...changes,
  })
  return spawn(process.execPath, [...startOptions, '--import', withParent, program], {
    cwd: new URL('../..', import.meta.url),
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', stderr],
  })
}

/** Ends the process when the test run ends, even if that is killed. */
const withParent = `data:text/javascript,import { endWithParent } from ${JSON.stringify(
  new URL('../../dev/end-with-parent.mjs', import.meta.url).href,
)}; endWithParent()`

function listen(child: ChildProcess) {
  const events = new Set<unknown>()
  const latest: string[] = []
  const unusual: string[] = []
  if (child.stdout === null) throw new Error('no stdout')
  createInterface({ input: child.stdout }).on('line', (line) => {
    latest.push(line)
    if (latest.length > 5) latest.shift()
    if (!line.startsWith('{')) return
    const { msg } = JSON.parse(line) as { msg?: unknown }
    events.add(msg)
    if (msg === 'http.request' || msg === 'webhook.attempted') return
    unusual.push(line)
    if (unusual.length > 15) unusual.shift()
  })
  return {
    logged: (event: string) => waitFor(event, () => events.has(event), 30_000),
    lastWords: () => [...unusual, '…', ...latest].join('\n'),
  }
}
