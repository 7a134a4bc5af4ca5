import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort } from '../../../dev/servers/free-port.ts'
import { startMongo, startRedis } from '../../../dev/servers.ts'
import { parseConfig } from '../../../src/config/config.ts'
import { updateDatabase } from '../../../src/context/models.ts'
import { openDeps } from '../../../src/context/open-deps.ts'
import { createMetrics } from '../../../src/metrics/metrics.ts'
import { createLog } from '../../../src/platform/log.ts'
import { startProvider } from '../../support/provider.ts'
import { startEndpointServers } from './endpoint-servers.ts'
import { startNameServer } from './name-server.ts'
import { startAttacked } from './process.ts'

export type Stage = Awaited<ReturnType<typeof openStage>>

/** In production mode, no endpoint on this machine is allowed, and the wallet provider is down. */
export async function openStage(build: string, folder: string, isProduction: boolean) {
  const [mongo, redis, endpointServers, provider, nameServer, port] = await Promise.all([
    startMongo(),
    startRedis(),
    startEndpointServers(),
    startProvider(),
    startNameServer(),
    freePort(),
  ])
  const environment = {
    PORT: String(port),
    MONGODB_URL: mongo.url.replace('/payment_intents', '/attack'),
    REDIS_URL: redis.url,
    QUEUE_PREFIX: 'attack',
    SECRET_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: 'info',
    TRUST_PROXY: '1',
    RATE_LIMIT_PER_SECOND: '0',
    LIVE_CODES_PER_BUSINESS: '1000000',
    SANDBOX_INTENTS_PER_DAY: '0',
    AUDIT_LINES_PER_DAY: '0',
    LIVE_DOCUMENTS_PER_DAY: '0',
    LIVE_BYTES_PER_DAY: '0',
    SANDBOX_BYTES_PER_DAY: '0',
    WEBHOOK_RETRY_SECONDS: '1,2,4,8,16,32,64',
    WEBHOOK_TIMEOUT_SECONDS: '5',
    PUBLIC_URL: 'https://service.example',
    PAY_URL: 'https://service.example',
    METRICS_TOKEN: randomBytes(32).toString('hex'),
    ...provider.environment,
    ...(isProduction
      ? { NODE_ENV: 'production', WALLET_PROVIDER_URL: provider.url.replace('http:', 'https:') }
      : { NODE_ENV: 'test', WEBHOOK_ALLOWED_HOSTS: endpointServers.allowedHost }),
  }
  const config = parseConfig(environment)
  const log = createLog('silent', 'attack', null)
  await updateDatabase(config, log)
  const deps = await openDeps(config, log, createMetrics(), 'web')
  const watched = { ...environment, ATTACK_NAME_SERVER: nameServer.address }
  const [web, worker] = await Promise.all([
    startAttacked('web', join(build, 'src/server.js'), folder, watched),
    startAttacked('worker', join(build, 'workers/main.js'), folder, watched),
  ])
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    web,
    worker,
    servers: [mongo, redis],
    endpointServers,
    provider,
    nameServer,
    deps,
    async stop(): Promise<void> {
      await Promise.all([web.stop(), worker.stop()])
      await deps.close()
      nameServer.close()
      await Promise.all([endpointServers.close(), provider.close(), mongo.stop(), redis.stop()])
    },
  }
}
