import { setTimeout as pause } from 'node:timers/promises'
import { recordRecentSuccess, sendJson, subscribe } from '../support/actions.ts'
import { pem } from '../support/certificate.ts'
import { startEndpointServer } from '../support/endpoint-server.ts'
import { deadlineMs } from '../support/machine.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'
import { type RedisCluster, startCluster } from '../support/redis-cluster.ts'
import { type Sentinels, startSentinels } from '../support/redis-sentinel.ts'
import { openService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

/** We promise that a first attempt takes at most this much longer than usual. */
const maxExtraMs = 5_000
/** A failover takes 1 to 3 s on an idle machine. */
const maxFailoverMs = 20_000
const everyMs = 50
/** A poll finds no events younger than this. */
const soonestPollMs = 1_500
/** First attempts that the endpoint refuses, so that delayed jobs wait in Redis during the failover. */
const refusedCount = 5

type Stage = Awaited<ReturnType<typeof openStage>>

async function openStage(start: () => Promise<Sentinels | RedisCluster>) {
  const [redis, endpointServer] = await Promise.all([start(), startEndpointServer()])
  const service = await openService({ REDIS_URL: redis.url, REDIS_TLS_CA: pem })
  const changes = {
    REDIS_TLS_CA: pem,
    WEBHOOK_ALLOWED_HOSTS: endpointServer.host,
    WEBHOOK_RETRY_SECONDS: '3,1,1,1,1,1,1',
  }
  const [web, worker] = await Promise.all([
    startProcess('web', service, changes),
    startProcess('worker', service, changes),
  ])
  const { counts } = service.deps.queues
  const workersOf = async () => (await counts.workers().catch(() => null))?.get('outbox-relay') ?? 0
  await waitFor('the workers are connected', async () => (await workersOf()) > 0, 20_000)
  await waitFor('web is connected', () => isRedisUp(web))
  const merchant = await service.merchant()
  const { id } = await subscribe(service, merchant, endpointServer.url, ['payment.created'])
  await recordRecentSuccess(service, id)
  endpointServer.respondWith((res, count) => void res.writeHead(count > refusedCount ? 200 : 500).end())
  return {
    redis,
    service,
    web,
    endpointServer,
    merchant,
    async close() {
      await Promise.all([web.stop(), worker.stop(), endpointServer.close()])
      await service.close()
      await redis.stop()
    },
  }
}

async function isRedisUp({ origin }: ServiceProcess): Promise<boolean> {
  const response = await fetch(`${origin}/readyz`)
  return ((await response.json()) as { redis: string }).redis === 'up'
}

function startLoad({ web: { origin }, merchant }: Stage) {
  const createdAt = new Map<unknown, number>()
  const state = { isStopped: false }
  const run = async (): Promise<void> => {
    while (!state.isStopped) {
      const response = await sendJson(origin, merchant.write(), '/intents', { amount: 100 })
      const { data } = (await response.json()) as { data: { referenceNumber: string } }
      createdAt.set(data.referenceNumber, Date.now())
      await pause(everyMs)
    }
  }
  const running = run()
  return {
    createdAt,
    async stop() {
      state.isStopped = true
      await running
    },
  }
}

/** Returns how many intents were created meanwhile, and the extra delay in ms. */
async function killMaster(stage: Stage): Promise<{ during: number; extraMs: number }> {
  const { redis, web } = stage
  const load = startLoad(stage)
  const { createdAt } = load
  await waitFor('some load', () => createdAt.size >= 20, 20_000)
  const before = createdAt.size
  const killedAt = Date.now()
  await redis.master.kill('SIGKILL')
  await waitFor('another master', redis.isReplaced, maxFailoverMs)
  const during = createdAt.size - before
  await waitFor('web is connected', () => isRedisUp(web))
  const connectedAt = Date.now()
  const isWoken = ({ waitedMs, at }: FirstAttempt): boolean => waitedMs < soonestPollMs && at > connectedAt
  await waitFor('an attempt that a job woke', () => firstAttempts(stage, createdAt).some(isWoken), 20_000)
  await load.stop()
  await expectAllDelivered(stage, createdAt.size)
  const attempts = firstAttempts(stage, createdAt)
  expect(attempts).to.have.length(createdAt.size)
  const slowestMs = (some: FirstAttempt[]): number => Math.max(...some.map(({ waitedMs }) => waitedMs))
  const usualMs = slowestMs(attempts.filter(({ at }) => at < killedAt))
  return { during, extraMs: slowestMs(attempts) - usualMs }
}

type FirstAttempt = { at: number; waitedMs: number }

function firstAttempts({ endpointServer }: Stage, createdAt: Map<unknown, number>): FirstAttempt[] {
  const first = new Map<unknown, FirstAttempt>()
  for (const { at, json } of endpointServer.received) {
    const reference = json.data.reference_number
    const since = createdAt.get(reference)
    if (since !== undefined && !first.has(reference)) first.set(reference, { at, waitedMs: at - since })
  }
  return [...first.values()]
}

async function expectAllDelivered({ service, merchant }: Stage, count: number): Promise<void> {
  const { Delivery } = service.deps
  const { businessId } = merchant
  await waitFor(
    'every delivery arrived',
    async () => (await Delivery.countDocuments({ businessId, status: 'DELIVERED' })) === count,
    maxFailoverMs,
  )
  expect(await Delivery.countDocuments({ businessId })).to.equal(count)
}

describe('A Redis failover under load', function () {
  this.timeout(90_000)
  const kinds = { 'Redis Sentinel': startSentinels, 'Redis Cluster': startCluster }
  const stages = new Map<string, Promise<Stage>>()
  before(() => {
    for (const [name, start] of Object.entries(kinds)) {
      const stage = openStage(start)
      stage.catch(() => undefined)
      stages.set(name, stage)
    }
  })
  after(() => Promise.all([...stages.values()].map((stage) => stage.then(({ close }) => close()))))

  for (const name of Object.keys(kinds))
    it(`loses no event and delays first attempts by at most 5 s (${name})`, async () => {
      const { during, extraMs } = await killMaster((await stages.get(name)) as Stage)
      expect(during).to.be.above(3)
      expect(extraMs).to.be.below(maxExtraMs - 1_000 + deadlineMs(1_000))
    })
})
