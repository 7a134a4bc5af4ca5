import { randomBytes } from 'node:crypto'
import { freePort } from '../dev/servers/free-port.ts'
import { listening, type Running, runProcess, startProcess, type Where } from './processes.ts'
import type { Bench } from './rounds.ts'
import type { Answers, Steady } from './steady.ts'

/** A `web` of the service on a database and a queue prefix of its own, and its workers. */
export interface Service {
  webUrl: string
  webPid: number
  secretKey: Buffer
  mongodbUrl: string
  queuePrefix: string
  /** Starts a worker beside those that run. */
  startWorker(environment?: Record<string, string>): Running
  /** Ends `web` and every worker. */
  end(): Promise<void>
}

/** Starts `web` alone. Its log and profile are called `<name>-web`, those of its workers `<name>-worker`, `<name>-worker-2` and so on. */
export async function startWebOnly(
  bench: Bench,
  name: string,
  environment: Record<string, string>,
): Promise<Service> {
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
  const web = startProcess(bench.where, `${name}-web`, bench.where.programs.web, {
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
      const place = workers.length === 0 ? '' : `-${workers.length + 1}`
      const worker = startProcess(bench.where, `${name}-worker${place}`, bench.where.programs.worker, {
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

/** Where the service takes creates. */
export const createPath = '/api/v1/dev/intents'

/** Creates at a steady rate for some seconds. @throws {Error} when one is not answered 201 */
export const createSteadily = (where: Where, asked: Steady): Promise<Answers> =>
  runProcess<Answers>(where, 'steady', 'bench/steady.ts', [JSON.stringify(asked)])
