import { randomBytes } from 'node:crypto'
import { mongo } from 'mongoose'
import { freePort } from '../dev/servers/free-port.ts'
import type { EventName } from '../schemas/events.ts'
import { type Arrivals, startArrivals } from './arrivals.ts'
import type { Bench } from './benchmark.ts'
import type { Merchant } from './calls.ts'
import { addEndpoint, makeMerchants } from './merchants.ts'
import { type Environment, listening, type Running, runProcess, startProcess } from './processes.ts'
import type { Sent, Steady, Stream } from './steady.ts'

export interface Web extends Running {
  origin: string
}

/** One or more `web` with their own database and queue prefix, and their workers. */
export interface Service {
  name: string
  web: Web
  origins: string[]
  secretKey: Buffer
  mongodbUrl: string
  startWorker(environment?: Environment): Running
  end(): Promise<void>
}

/** As in production, but without a rate limit. Production accepts no endpoints on this machine. */
export const inProduction = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.example',
  METRICS_PORT: '0',
  RATE_LIMIT_PER_SECOND: '0',
}

interface Start {
  environment?: Environment
  webs?: number
  /** By default, a new one. Two services on one database need the same key. */
  secretKey?: Buffer
  /** By default, named like the service. */
  database?: string
}

/**
 * Starts `web` without a worker. Logs and profiles are named `<name>-web`, `<name>-web-2`, `<name>-worker`,
 * `<name>-worker-2` and so on.
 */
export async function startService(bench: Bench, name: string, start: Start = {}): Promise<Service> {
  const { environment, webs = 1, secretKey = randomBytes(32), database = name } = start
  const mongodbUrl = bench.mongodbUrl(database)
  const shared = {
    NODE_ENV: 'test',
    MONGODB_URL: mongodbUrl,
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: name,
    SECRET_KEY: secretKey.toString('base64'),
    ...environment,
  }
  const nameOf = (kind: string, number: number) => `${name}-${kind}${number === 1 ? '' : `-${number}`}`
  const started: Web[] = []
  while (started.length < webs)
    started.push(await startWeb(bench, nameOf('web', started.length + 1), bench.runtime.programs.web, shared))
  const workers: Running[] = []
  return {
    name,
    web: started.at(0) as Web,
    origins: started.map(({ origin }) => origin),
    secretKey,
    mongodbUrl,
    startWorker(own = {}) {
      const settings = { ...shared, ...own }
      const worker = startProcess(
        bench.runtime,
        nameOf('worker', workers.length + 1),
        bench.runtime.programs.worker,
        settings,
      )
      workers.push(worker)
      return worker
    },
    end: async () => void (await Promise.all([...started, ...workers].map((each) => each.end()))),
  }
}

export async function startWeb(
  { runtime }: Bench,
  name: string,
  script: string,
  environment: Environment,
): Promise<Web> {
  const port = await freePort()
  const running = startProcess(runtime, name, script, { ...environment, PORT: String(port) })
  await listening(port)
  return { ...running, origin: `http://127.0.0.1:${port}` }
}

export const startBare = (
  bench: Bench,
  route: string,
  database: string,
  environment: Environment = {},
): Promise<Web> =>
  startWeb(bench, `bare-${route}`, 'bench/bare/routes.ts', {
    NODE_ENV: 'production',
    ROUTE: route,
    MONGODB_URL: bench.mongodbUrl(database),
    REDIS_URL: bench.redisUrl,
    ...environment,
  })

/** The bare route and the bare worker, which post a webhook for each create to every URL. */
export async function startBareNotify(bench: Bench, database: string, urls: string[]): Promise<Web> {
  const worker = startBareWorker(bench)
  const route = await startBare(bench, 'notify', database, { URLS: urls.join(',') })
  return { ...route, end: async () => void (await Promise.all([route.end(), worker.end()])) }
}

export const startBareWorker = ({ runtime, redisUrl }: Bench, environment: Environment = {}): Running =>
  startProcess(runtime, 'bare-worker', 'bench/bare/worker.ts', { REDIS_URL: redisUrl, ...environment })

export interface Setting {
  service: Service
  arrivals: Arrivals
  merchants: Merchant[]
  database: mongo.Db
}

interface Wanted extends Start {
  merchants?: number
  mode?: 'test' | 'live'
  /** How many endpoint servers. By default, one. */
  endpoints?: number
  /** Each merchant gets an endpoint for these events, and each endpoint server at least one. By default, none does. */
  events?: EventName[]
  /** Whether a worker runs from the beginning. By default, one does. */
  worker?: boolean
}

/** A service with merchants and endpoints. Ends everything after `use`. */
export async function withService<Result>(
  bench: Bench,
  name: string,
  wanted: Wanted,
  use: (setting: Setting) => Promise<Result>,
): Promise<Result> {
  const {
    merchants: count = 1,
    mode = 'test',
    endpoints = 1,
    events = [],
    worker = true,
    environment,
  } = wanted
  const isProduction = environment?.NODE_ENV === 'production'
  const arrivals = await startArrivals(bench.runtime, `${name}-endpoints`, endpoints)
  const service = await startService(bench, name, {
    ...wanted,
    environment: {
      ...(isProduction ? {} : { WEBHOOK_ALLOWED_HOSTS: arrivals.allowedHosts }),
      ...environment,
    },
  })
  const merchants = await makeMerchants(service, count, mode)
  if (events.length > 0)
    for (let index = 0; index < Math.max(count, endpoints); index += 1)
      await addEndpoint(service, merchants[index % count], arrivals.urls[index % endpoints], events)
  if (worker) service.startWorker()
  const result = await withDatabase(service.mongodbUrl, (database) =>
    use({ service, arrivals, merchants, database }),
  )
  // The endpoints end first, so that none of the worker's attempts stays in flight.
  await arrivals.end()
  await service.end()
  return result
}

export async function withDatabase<T>(
  mongodbUrl: string,
  use: (database: mongo.Db) => Promise<T>,
): Promise<T> {
  const client = await mongo.MongoClient.connect(mongodbUrl)
  try {
    return await use(client.db())
  } finally {
    await client.close()
  }
}

export const createPath = '/api/v1/dev/intents'

/** Sends requests at a steady rate. @throws {Error} if a response is not 2xx */
export function actSteadily(
  { runtime }: Bench,
  origins: string[],
  seconds: number,
  streams: Stream[],
  path = createPath,
): Promise<Sent[]> {
  const input: Steady = { origins, path, seconds, streams }
  return runProcess<Sent[]>(runtime, 'steady', input)
}

export const responseMs = (sent: Sent[]): number[] =>
  sent.map(({ dueAt, respondedAt }) => respondedAt - dueAt)

/** Spreads the creates over the merchants. */
export const createSteadily = (
  bench: Bench,
  { origins }: Service,
  seconds: number,
  perSecond: number,
  merchants: Merchant[],
): Promise<Sent[]> =>
  actSteadily(bench, origins, seconds, [{ perSecond, apiKeys: merchants.map(({ apiKey }) => apiKey) }])
