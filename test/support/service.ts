import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import type { mongo } from 'mongoose'
import supertest from 'supertest'
import { type ApiScope, apiScopes } from '../../schemas/scopes.ts'
import { createApp } from '../../src/app.ts'
import type { KeyKind, KeyMode } from '../../src/businesses/api-key.ts'
import { createBusiness } from '../../src/businesses/change-business.ts'
import { type IssuedKey, issueApiKey } from '../../src/businesses/change-key.ts'
import { parseConfig } from '../../src/config/config.ts'
import { openDeps } from '../../src/context/open-deps.ts'
import { createHttpServer } from '../../src/http/server/listen.ts'
import { httpTimeouts } from '../../src/http/server/timeouts.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { createLog, type Log } from '../../src/platform/log.ts'
import type { Author } from '../../src/security/actor.ts'
import { startWorkers } from '../../workers/run/start.ts'
import { expectInvariants, noteRestocked } from '../invariants/expect-invariants.ts'
import { checkResponse } from './check-responses.ts'
import { borrowDatabase, newName, prepareDatabase, returnDatabase, urlOf } from './databases.ts'
import { listen } from './listen.ts'
import { servers } from './servers.ts'
import { withOpened } from './with.ts'

/** Offset to database time. Time continues from there, so that real waits still end. */
export type Clock = { now(): Date; advance(ms: number): void; freeze(at: Date | null): void }

export function createClock(): Clock & { shift(atMs: number): number } {
  let offsetMs = 0
  let frozenAt: Date | null = null
  const shift = (atMs: number): number => frozenAt?.getTime() ?? atMs + offsetMs
  return {
    shift,
    now: () => new Date(shift(Date.now())),
    advance(ms) {
      if (frozenAt === null) offsetMs += ms
      else frozenAt = new Date(frozenAt.getTime() + ms)
    },
    freeze: (at) => void (frozenAt = at),
  }
}

export const tester: Author = { actor: { kind: 'operator', name: 'tester', from: null }, reason: null }
export const intents = '/api/v1/dev/intents'
export const secretKey = randomBytes(32).toString('base64')

/** Hashing as in production, which refuses anything cheaper, would take a tenth of the tests' processor time. */
export const hashCost = ({ NODE_ENV }: Record<string, string | undefined>): Record<string, string> =>
  NODE_ENV === 'production' ? {} : { HASH_MEMORY_KIB: '64' }

export function freshEnvironment(changes: Record<string, string>): Record<string, string> {
  const name = newName()
  return {
    NODE_ENV: 'test',
    PORT: '0',
    MONGODB_URL: urlOf(servers.mongoUrl, name),
    REDIS_URL: servers.redisUrl,
    QUEUE_PREFIX: name,
    SECRET_KEY: secretKey,
    ...hashCost(changes),
    LOG_LEVEL: 'silent',
    // Tests send as fast as they can, with frozen clocks.
    RATE_LIMIT_PER_SECOND: '1000',
    // Counting for a quota is a MongoDB command at an unpredictable moment, and kill tests count commands.
    SANDBOX_INTENTS_PER_DAY: '0',
    LIVE_DOCUMENTS_PER_DAY: '0',
    LIVE_BYTES_PER_DAY: '0',
    SANDBOX_BYTES_PER_DAY: '0',
    AUDIT_LINES_PER_DAY: '0',
    PUBLIC_URL: 'http://localhost:3000',
    PAY_URL: 'http://pay.localhost:3000',
    ...changes,
  }
}

export interface Service {
  deps: Deps
  clock: Clock & { shift(atMs: number): number }
  origin: string
  http: ReturnType<typeof supertest>
  merchant(options?: Partial<KeyOptions>): Promise<Merchant>
  key(businessId: string, options?: Partial<KeyOptions>): Promise<IssuedKey>
  allowHost(host: string): void
  startWorkers(): { close(): Promise<void> }
  close(): Promise<void>
}

export type KeyOptions = { mode: KeyMode; kind: KeyKind; scopes: ApiScope[]; ipAllowlist: string[] }

export interface Merchant {
  businessId: string
  keyId: string
  key: string
  write(idempotencyKey?: string): Record<string, string>
  read(): Record<string, string>
}

type Environment = Record<string, string>

export async function openService(
  environment: Environment = {},
  log: Log = createLog('silent', 'test', null),
): Promise<Service> {
  const borrowed = environment.MONGODB_URL === undefined ? await borrowDatabase(servers.mongoUrl) : null
  const config = parseConfig(freshEnvironment({ ...environment, ...(borrowed && { MONGODB_URL: borrowed }) }))
  if (borrowed === null) await prepareDatabase(config)
  const clock = createClock()
  const deps = await openDeps(config, log, createMetrics(), 'web', clock.shift)
  const { server } = createHttpServer(deps, createApp(deps), httpTimeouts)
  for (const event of ['request', 'checkContinue']) {
    server.prependListener(event, checkResponse)
    server.prependListener(event, ({ method, url }) => method === 'GET' || noteRestocked(url))
  }
  const { origin, close } = await listen(server)
  const workers: { close(): Promise<void> }[] = []
  const key = async (businessId: string, options: Partial<KeyOptions> = {}): Promise<IssuedKey> => {
    const { mode = 'test', kind = 'secret', scopes: granted = [...apiScopes], ipAllowlist = [] } = options
    const issued = await issueApiKey(deps, { businessId, mode, kind, scopes: granted, ipAllowlist }, tester)
    if (issued === null) throw new Error(`no business ${businessId}`)
    return issued
  }
  return {
    deps,
    clock: { ...clock, now: deps.now },
    origin,
    http: httpTo(origin),
    key,
    async merchant(options = {}) {
      const { _id: businessId } = await createBusiness(deps, { name: 'Épicerie', liveApproved: true }, tester)
      return asMerchant(businessId, await key(businessId, options))
    },
    allowHost: (host) => void config.webhookAllowedHosts.add(host),
    startWorkers() {
      const started = startWorkers(deps)
      workers.push(started)
      return started
    },
    async close() {
      await Promise.all(workers.map((each) => each.close()))
      await close()
      // Another process may still use a database that was given.
      try {
        if (borrowed !== null) await expectIntact(deps)
      } finally {
        if (borrowed !== null) await returnDatabase(deps.mongo, borrowed)
        await deps.close()
      }
    },
  }
}

export const expectIntact = ({ mongo, config, now }: Deps): Promise<void> =>
  expectInvariants(mongo.db as mongo.Db, now().getTime() - config.sandboxRetentionMs)
const agent = new Agent({ keepAlive: true })

/** By default, supertest opens a connection per request, which costs as much as a short request itself. */
export function httpTo(origin: string): ReturnType<typeof supertest> {
  const http = supertest(origin)
  for (const method of ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const) {
    const begin = http[method].bind(http)
    http[method] = (url) => begin(url).agent(agent)
  }
  return http
}

type Opening = [environment?: Environment | (() => Environment), log?: Log]

const withOpenService = (per: 'describe' | 'test', [environment = {}, log]: Opening): Service =>
  withOpened(
    () => openService(typeof environment === 'function' ? environment() : environment, log),
    (service) => service.close(),
    per,
  )

export const withService = (...how: Opening): Service => withOpenService('describe', how)
export const withServicePerTest = (...how: Opening): Service => withOpenService('test', how)

export const withSecondProcess = (service: Service, environment: Environment = {}): Service =>
  withService(() => ({ ...sharedEnvironment(service), ...environment }))

export function sharedEnvironment({ deps: { config } }: Service): Environment {
  const { mongodbUrl, queuePrefix, redisUrl } = config
  return { MONGODB_URL: mongodbUrl, QUEUE_PREFIX: queuePrefix, REDIS_URL: redisUrl }
}

export const withMerchant = (service: Service, options?: Partial<KeyOptions>): Merchant =>
  withOpened(() => service.merchant(options))

export const withMerchantPerTest = (service: Service, options?: Partial<KeyOptions>): Merchant =>
  withOpened(() => service.merchant(options), undefined, 'test')

export function withServiceAndMerchant(...how: Opening): { service: Service; merchant: Merchant } {
  const service = withService(...how)
  return { service, merchant: withMerchant(service) }
}

export function withServiceAndMerchantPerTest(...how: Opening): { service: Service; merchant: Merchant } {
  const service = withService(...how)
  return { service, merchant: withMerchantPerTest(service) }
}

export function asMerchant(businessId: string, issued: IssuedKey): Merchant {
  const read = () => ({ Authorization: `Bearer ${issued.key}` })
  return {
    businessId,
    keyId: issued.id,
    key: issued.key,
    read,
    write: (idempotencyKey = randomBytes(12).toString('hex')) => ({
      ...read(),
      'X-Idempotency-Key': idempotencyKey,
    }),
  }
}

export const withAnotherKey = async (
  service: Service,
  { businessId }: Merchant,
  options?: Partial<KeyOptions>,
): Promise<Merchant> => asMerchant(businessId, await service.key(businessId, options))

export async function loseResponses({ deps }: Service): Promise<void> {
  await deps.StoredResponse.deleteMany({})
}
