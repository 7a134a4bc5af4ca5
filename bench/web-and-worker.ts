import { randomBytes } from 'node:crypto'
import { freePort } from '../dev/servers/free-port.ts'
import { listening, type Running, type Runtime, runProcess, startProcess } from './processes.ts'
import type { Bench } from './rounds.ts'
import type { Steady, SteadyResult } from './steady.ts'

/** A `web` of the service with its own database and queue prefix, and its workers. */
export interface Service {
  webUrl: string
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
 * Starts `web` alone. Its log and profile are called `<name>-web`, those of its workers `<name>-worker`,
 * `<name>-worker-2` and so on.
 */
export async function startWebOnly(bench: Bench, name: string, environment: Record<string, string>): Promise<Service> {
  const secretKey = randomBytes(32)
  const port = await freePort()
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
  const web = startProcess(bench.runtime, `${name}-web`, bench.runtime.programs.web, {
    ...shared,
    PORT: String(port),
  })
  await listening(port)
  const workers: Running[] = []
  return {
    webUrl: `http://127.0.0.1:${port}`,
    webPid: web.pid,
    secretKey,
    mongodbUrl,
    queuePrefix: name,
    startWorker(own = {}) {
      const suffix = workers.length === 0 ? '' : `-${workers.length + 1}`
      const worker = startProcess(bench.runtime, `${name}-worker${suffix}`, bench.runtime.programs.worker, {
        ...shared,
        ...own,
      })
      workers.push(worker)
      return worker
    },
    end: async () => void (await Promise.all([web, ...workers].map((one) => one.end()))),
  }
}

/** Starts one `web` and one `worker`. */
export async function startService(
  bench: Bench,
  name: string,
  environment: Record<string, string>,
): Promise<Service & { worker: Running }> {
  const service = await startWebOnly(bench, name, environment)
  return { ...service, worker: service.startWorker() }
}

/** The path of a create. */
export const createPath = '/api/v1/dev/intents'

/** Creates at a steady rate for some seconds. @throws {Error} if a response is not 201 */
export const createSteadily = (runtime: Runtime, load: Steady): Promise<SteadyResult> =>
  runProcess<SteadyResult>(runtime, 'steady', 'bench/steady.ts', [JSON.stringify(load)])
