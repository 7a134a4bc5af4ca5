import { randomBytes } from 'node:crypto'
import { freePort } from '../dev/servers/free-port.ts'
import type { QueueName } from '../src/jobs.ts'
import { listening, type Running, runProcess, startProcess, type Where } from './processes.ts'
import type { Bench } from './rounds.ts'
import type { Answers, Steady } from './steady.ts'

/** One `web` and one `worker` of the service, on a database and a queue prefix of their own. */
export interface Service {
  webUrl: string
  secretKey: Buffer
  mongodbUrl: string
  queuePrefix: string
  /** Of both; it changes when the worker is restarted. */
  pids(): { web: number; worker: number }
  /** Starts another worker, for some queues, beside the one there is. */
  startAnother(queues: QueueName[]): Running
  /** Ends the worker and starts another. */
  restartWorker(): Promise<void>
  end(): Promise<void>
}

/** Starts both. Their logs and profiles are called `<name>-web` and `<name>-worker`. */
export async function startService(
  bench: Bench,
  name: string,
  environment: Record<string, string>,
): Promise<Service> {
  const secretKey = randomBytes(32)
  const port = await freePort()
  const mongodbUrl = bench.mongodbUrl(name)
  const shared = {
    // Production refuses receivers on this machine.
    NODE_ENV: 'test',
    MONGODB_URL: mongodbUrl,
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: name,
    SECRET_KEY: secretKey.toString('base64'),
    ...environment,
  }
  const startWorker = (): Running =>
    startProcess(bench.where, `${name}-worker`, bench.where.programs.worker, shared)
  const web = startProcess(bench.where, `${name}-web`, bench.where.programs.web, {
    ...shared,
    PORT: String(port),
  })
  await listening(port)
  let worker = startWorker()
  return {
    webUrl: `http://127.0.0.1:${port}`,
    secretKey,
    mongodbUrl,
    queuePrefix: name,
    pids: () => ({ web: web.pid, worker: worker.pid }),
    startAnother: (queues) =>
      startProcess({ ...bench.where, profile: false }, `${name}-another`, bench.where.programs.worker, {
        ...shared,
        WORKER_QUEUES: queues.join(','),
      }),
    async restartWorker() {
      await worker.end()
      worker = startWorker()
    },
    async end() {
      await Promise.all([web.end(), worker.end()])
    },
  }
}

/** Where the service takes creates. */
export const createPath = '/api/v1/dev/intents'

/** Creates at a steady rate for some seconds. @throws {Error} when one is not answered 201 */
export const createSteadily = (where: Where, asked: Steady): Promise<Answers> =>
  runProcess<Answers>(where, 'steady', 'bench/steady.ts', [JSON.stringify(asked)])
