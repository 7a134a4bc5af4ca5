import { randomBytes } from 'node:crypto'
import { freePort } from '../dev/servers/free-port.ts'
import { listening, type Running, runProcess, startProcess } from './processes.ts'
import type { Bench } from './rounds.ts'
import type { Sent, Steady, Stream } from './steady.ts'

/** One or more `web` of the service with their own database and queue prefix, and their workers. */
export interface Service {
  /** The first of `webUrls`. */
  webUrl: string
  webUrls: string[]
  webPid: number
  secretKey: Buffer
  mongodbUrl: string
  queuePrefix: string
  /** Starts another worker. */
  startWorker(environment?: Record<string, string>): Running
  /** Ends `web` and every worker. */
  end(): Promise<void>
}

/**
 * Starts `web` without a worker. The logs and profiles are called `<name>-web`, `<name>-web-2`, `<name>-worker`,
 * `<name>-worker-2` and so on.
 */
export async function startWebOnly(
  bench: Bench,
  name: string,
  environment: Record<string, string>,
  webCount = 1,
): Promise<Service> {
  const secretKey = randomBytes(32)
  const mongodbUrl = bench.mongodbUrl(name)
  const shared = {
    // Production refuses endpoints on this machine.
    NODE_ENV: 'test',
    MONGODB_URL: mongodbUrl,
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: name,
    SECRET_KEY: secretKey.toString('base64'),
    ...environment,
  }
  const running: Running[] = []
  let workers = 0
  const start = (kind: 'web' | 'worker', count: number, own: Record<string, string>): Running => {
    const suffix = count === 1 ? '' : `-${count}`
    const environmentOfOne = { ...shared, ...own }
    const one = startProcess(bench.runtime, `${name}-${kind}${suffix}`, bench.runtime.programs[kind], environmentOfOne)
    running.push(one)
    return one
  }
  const ports: number[] = []
  while (ports.length < webCount) {
    const port = await freePort()
    ports.push(port)
    start('web', ports.length, { PORT: String(port) })
    await listening(port)
  }
  const webUrls = ports.map((port) => `http://127.0.0.1:${port}`)
  return {
    webUrl: webUrls[0] ?? '',
    webUrls,
    webPid: running[0]?.pid ?? 0,
    secretKey,
    mongodbUrl,
    queuePrefix: name,
    startWorker(own = {}) {
      workers += 1
      return start('worker', workers, own)
    },
    end: async () => void (await Promise.all(running.map((one) => one.end()))),
  }
}

/** Starts `web` and one `worker`. */
export async function startService(
  bench: Bench,
  name: string,
  environment: Record<string, string>,
  webCount = 1,
): Promise<Service & { worker: Running }> {
  const service = await startWebOnly(bench, name, environment, webCount)
  return { ...service, worker: service.startWorker() }
}

/** The path of a create. */
export const createPath = '/api/v1/dev/intents'

/** Acts at a steady rate for some seconds. @throws {Error} if a response is not 2xx */
export function actSteadily(
  { runtime }: Bench,
  origins: string[],
  seconds: number,
  streams: Stream[],
  path = createPath,
): Promise<Sent[]> {
  const input: Steady = { origins, path, seconds, streams }
  return runProcess<Sent[]>(runtime, 'steady', 'bench/steady.ts', [JSON.stringify(input)])
}

/** The milliseconds of each act, from the time at which it was due until its response. */
export const responseMs = (sent: Sent[]): number[] => sent.map(({ dueAt, respondedAt }) => respondedAt - dueAt)
