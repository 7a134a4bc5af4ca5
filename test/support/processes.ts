import { once } from 'node:events'
import { freePort } from '../../dev/servers/free-port.ts'
import { programIn, programOf } from './built.ts'
import { startChild } from './child.ts'
import { deadlineMs } from './machine.ts'
import { freshEnvironment, type Service } from './service.ts'
import { waitFor } from './wait-for.ts'

export type ServiceProcess = Awaited<ReturnType<typeof startAt>>
const files = { web: 'src/server', worker: 'workers/main', release: 'src/release' } as const
type LogLine = { msg: string; pid: number; [field: string]: unknown }
type Start = [type: keyof typeof files, service: Service, changes?: Record<string, string>]
export const startProcess = (...start: Start) => startAt(programOf(files[start[0]]), ...start)
export const startProcessOf = (build: string, ...[type, ...how]: Start) =>
  startAt(programIn(build, files[type]), type, ...how)

async function startAt(program: string, ...[type, service, changes = {}]: Start) {
  const port = changes.PORT ?? String(await freePort())
  const { child, lines, logged, lastWords } = begin(program, service, { ...changes, PORT: port })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  await Promise.race([
    logged(`${type}.started`),
    ended.then((code) => Promise.reject(new Error(`${type} ended with ${code}`))),
  ])
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: (signal: NodeJS.Signals): void => void child.kill(signal),
    /** The exit code, or null if a signal ended the process. */
    exited: ended,
    logged,
    linesOf: (event: string): LogLine[] =>
      lines.stdout
        .filter((line) => line.includes(`"msg":"${event}"`))
        .map((line) => JSON.parse(line) as LogLine),
    recentLog: () => `${type}:\n${lastWords()}`,
    async stop(): Promise<void> {
      child.kill('SIGCONT')
      child.kill('SIGKILL')
      await ended
    },
  }
}

export async function runToExit(type: keyof typeof files, service: Service, changes: Record<string, string>) {
  const { child, lines } = begin(programOf(files[type]), service, changes)
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs(30_000))
  const [exitCode] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  return { exitCode, ...lines }
}

export async function interruptAt(
  event: string,
  type: keyof typeof files,
  service: Service,
  changes: Record<string, string>,
) {
  const { child, logged, lastWords } = begin(programOf(files[type]), service, changes)
  const ended = once(child, 'exit')
  await logged(event)
  child.kill('SIGTERM')
  const [exitCode] = (await ended) as [number | null]
  return { exitCode, lastWords: lastWords() }
}

function begin(program: string, service: Service, changes: Record<string, string>) {
  const { mongodbUrl, redisUrl, queuePrefix } = service.deps.config
  const environment = freshEnvironment({
    MONGODB_URL: mongodbUrl,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: queuePrefix,
    LOG_LEVEL: 'info',
    ...changes,
  })
  const events = new Set<unknown>()
  const lines: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] }
  const { stdout, stderr } = lines
  const isRoutine = (line: string) => /"msg":"(http.request|webhook.attempted)"/.test(line)
  const child = startChild(program, environment, (line, from) => {
    lines[from].push(line)
    if (from === 'stdout' && line.startsWith('{')) events.add((JSON.parse(line) as { msg?: unknown }).msg)
  })
  return {
    child,
    lines,
    logged: (event: string) => waitFor(event, () => events.has(event), 30_000),
    lastWords: () =>
      [stderr, stdout.filter((line) => !isRoutine(line)).slice(-15), '…', stdout.slice(-5)].flat().join('\n'),
  }
}
