import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { mongo } from 'mongoose'
import mongoose from 'mongoose'
import { freePort } from '../../../dev/servers/free-port.ts'
import { type Server, startMongo, startMongoReplicaSet, startRedis } from '../../../dev/servers.ts'
import { runHere } from '../../admin/run-here.ts'
import { files, type Setting } from '../evidence/evidence.ts'
import { openEndpointServers } from '../traffic/endpoint-servers.ts'
import { openControls } from './controls.ts'
import type { Notes } from './notes.ts'
import { openProcess, type ProcessName, processNames, type ServiceProcess, typeOf } from './process.ts'

export type Stage = Awaited<ReturnType<typeof openStage>>

export async function openStage(
  { seed, build, servers: kind, folder }: { seed: number; build: string; servers: Servers; folder: string },
  notes: Pick<Notes, 'fault' | 'end'>,
) {
  const controls = openControls(join(folder, 'orders'))
  const opening = { seed, folder, clockAheadMs: controls.aheadMs }
  const [servers, endpointServers] = await Promise.all([startServers(kind), openEndpointServers(opening)])
  const ports = new Map<ProcessName, number>()
  for (const name of processNames) ports.set(name, await freePort())
  const webs = processNames.filter((name) => typeOf(name) === 'web')
  const origins = webs.map((name) => `http://127.0.0.1:${ports.get(name)}`)
  const environment = { ...environmentOf(servers, origins[0] ?? ''), ...endpointServers.environment }
  const processes = new Map<string, ServiceProcess>(
    processNames.map((name) => {
      const one = openProcess({
        name,
        build,
        environment: { ...environment, PORT: String(ports.get(name)), ...controls.environmentOf(name) },
        logFile: join(folder, files.log, `${name}.log`),
        reportStray: (fault) => notes.fault(fault, null),
        reportEnd: (message) => notes.end(name, message),
      })
      return [name, one]
    }),
  )
  async function admin(args: string[]): Promise<Record<string, unknown>> {
    const { PATH } = process.env
    const { exitCode, stdout, stderr } = await runHere([...args, '--json'], { PATH, ...environment })
    if (exitCode !== 0) throw new Error(`admin ${args.join(' ')}: ${stderr}`)
    return JSON.parse(stdout)
  }
  async function stop(): Promise<void> {
    await Promise.all([...processes.values()].map((one) => one.end('SIGKILL')))
    await Promise.all([servers.stop(), endpointServers.close()])
  }
  await Promise.all([...processes.values()].map((one) => one.start())).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { servers, processes, origins, endpointServers, controls, admin, stop }
}

export const settings: Setting['settings'] = {
  intentLifetimeSeconds: 12,
  codeLifetimeSeconds: 8,
  retrySeconds: [0.3, 0.4, 0.5, 0.8, 1, 1.5, 2],
  webhookTimeoutSeconds: 2,
  sandboxRetentionDays: 30,
}
const unlimited = '1000000000000'
type Addresses = { mongodbUrl: string; redisUrl: string }

export const environmentOf = ({ mongodbUrl, redisUrl }: Addresses, webOrigin: string) => ({
  NODE_ENV: 'test',
  MONGODB_URL: mongodbUrl,
  REDIS_URL: redisUrl,
  SECRET_KEY: randomBytes(32).toString('base64'),
  HASH_MEMORY_KIB: '64',
  LOG_LEVEL: 'info',
  RATE_LIMIT_PER_SECOND: '1000',
  LIVE_CODES_PER_BUSINESS: '1000000',
  SANDBOX_INTENTS_PER_DAY: '1000000000',
  AUDIT_LINES_PER_DAY: '1000000000',
  LIVE_DOCUMENTS_PER_DAY: '1000000000',
  LIVE_BYTES_PER_DAY: unlimited,
  SANDBOX_BYTES_PER_DAY: unlimited,
  PUBLIC_URL: webOrigin,
  PAY_URL: webOrigin,
  INTENT_LIFETIME_SECONDS: String(settings.intentLifetimeSeconds),
  CODE_LIFETIME_SECONDS: String(settings.codeLifetimeSeconds),
  WEBHOOK_RETRY_SECONDS: settings.retrySeconds.join(','),
  WEBHOOK_TIMEOUT_SECONDS: String(settings.webhookTimeoutSeconds),
  WALLET_PROVIDER_TIMEOUT_SECONDS: '1',
  SANDBOX_RETENTION_DAYS: String(settings.sandboxRetentionDays),
})

export type Servers = 'one-member' | 'three-members'
export type RoundServers = Awaited<ReturnType<typeof startServers>>
const alone = (one: Server) => ({ ...one, members: [one] })

export async function startServers(kind: Servers) {
  const starting = kind === 'three-members' ? startMongoReplicaSet(3) : startMongo().then(alone)
  const [mongo, redis] = await Promise.all([starting, startRedis()])
  return {
    mongodbUrl: mongo.url,
    redisUrl: redis.url,
    redis,
    /** Accepts writes. @throws {Error} if there is none */
    primary: (): Promise<Server> =>
      Promise.any(
        mongo.members.map(async (member) => {
          const { isWritablePrimary } = await command(member, { hello: 1 }, 1000)
          if (isWritablePrimary !== true) throw new Error(`${member.port} accepts no writes`)
          return member
        }),
      ),
    stop: () => Promise.all([mongo.stop(), redis.stop()]),
  }
}

export async function command(member: Server, document: object, withinMs: number): Promise<mongo.Document> {
  const client = new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${member.port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1000,
    connectTimeoutMS: 1000,
    socketTimeoutMS: withinMs,
  })
  try {
    return await client.db('admin').command(document)
  } finally {
    await client.close()
  }
}
