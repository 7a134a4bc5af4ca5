import type { ServerResponse } from 'node:http'
import { Redis } from 'ioredis'
import { startRedis } from '../../dev/servers.ts'
import { createIntent, sendJson, subscribe } from '../support/actions.ts'
import { startEndpointServer } from '../support/endpoint-server.ts'
import { deadlineMs } from '../support/machine.ts'
import { startProcess } from '../support/processes.ts'
import { openService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

type Outage = Awaited<ReturnType<typeof openOutage>>

async function openOutage() {
  const [redis, endpointServer] = await Promise.all([startRedis(), startEndpointServer()])
  const service = await openService({ REDIS_URL: redis.url })
  const changes = { WEBHOOK_ALLOWED_HOSTS: endpointServer.host, WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1' }
  const [web, worker] = await Promise.all([
    startProcess('web', service, changes),
    startProcess('worker', service, changes),
  ])
  const seen = new Set<string>()
  endpointServer.respondWith((res, _count, { json }) => {
    res.writeHead(seen.has(json.id) ? 200 : 500).end()
    seen.add(json.id)
  })
  const merchant = await service.merchant()
  await subscribe(service, merchant, endpointServer.url, ['payment.created'])
  const opened = { redis, service, web, worker, endpointServer, merchant }
  return {
    ...opened,
    async close() {
      await Promise.all([web.stop(), worker.stop(), endpointServer.close()])
      await redis.restart()
      await service.close()
      await redis.stop()
    },
  }
}

/** Creates intents one after another. Each must succeed well before a person would lose within. */
async function createSome({ web, merchant }: Outage, count: number): Promise<void> {
  for (let created = 0; created < count; created += 1) {
    const within = { signal: AbortSignal.timeout(2_000) }
    const response = await sendJson(web.origin, merchant.write(), '/intents', { amount: 100 }, within)
    expect(response.status).to.equal(201)
  }
}

const readiness = async ({ web }: Outage): Promise<unknown[]> => {
  const response = await fetch(`${web.origin}/readyz`)
  return [response.status, ((await response.json()) as { status: string }).status]
}

/** The 15 s in docs/operators/watch.md, 1 s for the second attempt, and a 4 s reserve. */
const soonMs = 15_000 + 1_000 + 4_000

async function expectAllDelivered({ service, merchant, web, worker }: Outage, count: number): Promise<void> {
  const { businessId } = merchant
  await waitFor(
    'every delivery arrived',
    async () => (await service.deps.Delivery.countDocuments({ businessId, status: 'DELIVERED' })) === count,
    soonMs,
  )
  expect(await service.deps.Delivery.countDocuments({ businessId })).to.equal(count)
  expect(web.isAlive() && worker.isAlive()).to.equal(true)
}

const breaks = {
  async 'killed and restarted empty'(outage: Outage) {
    await createSome(outage, 10)
    await outage.endpointServer.atLeast(10)
    await outage.redis.kill('SIGKILL')
    await createSome(outage, 10)
    expect(await readiness(outage)).to.deep.equal([200, 'degraded'])
    await outage.redis.restart()
    await waitFor('ready', async () => (await readiness(outage))[1] === 'ok')
    await createSome(outage, 5)
    return 25
  },
  async 'frozen for longer than the command timeout, and thawed'(outage: Outage) {
    await createSome(outage, 10)
    await outage.redis.kill('SIGSTOP')
    await createSome(outage, 10)
    // A probe waits 2 s for Redis. By the third, these creates' wake-up jobs have failed.
    for (const _probe of [1, 2, 3]) expect(await readiness(outage)).to.deep.equal([200, 'degraded'])
    await createSome(outage, 5)
    await outage.redis.kill('SIGCONT')
    return 25
  },
}

async function stopWithoutRedis(): Promise<number> {
  const redis = await startRedis()
  const service = await openService({ REDIS_URL: redis.url })
  await service.merchant().then((merchant) => createIntent(service, merchant))
  const before = new Redis(redis.url)
  await waitFor(
    'a first enqueue',
    async () => (await before.keys(`${service.deps.config.queuePrefix}*`)).length > 0,
  )
  before.disconnect()
  service.startWorkers()
  await redis.kill('SIGSTOP')
  // One queue is open, the other isn't.
  for (let enqueued = 0; enqueued < 2_000; enqueued += 1) {
    const id = String(enqueued)
    service.deps.enqueue('outbox-relay', [{ data: { intentIds: [id], orderIds: [] } }])
    service.deps.enqueue('intent-expiry', [{ data: { referenceNumbers: [id] }, jobId: id, delayMs: 0 }])
  }
  const startedAt = performance.now()
  await service.close()
  const tookMs = performance.now() - startedAt
  await redis.stop()
  return tookMs
}

describe('The service during a Redis outage', () => {
  const outages: Outage[] = []
  const healed = new Map<string, Promise<void>>()
  let stopped: Promise<number>
  // All outages run at once on their own servers, because they mostly wait for the next poll.
  before(async () => {
    stopped = stopWithoutRedis()
    stopped.catch(() => undefined)
    outages.push(...(await Promise.all(Object.keys(breaks).map(openOutage))))
    for (const [index, [name, breakIt]] of Object.entries(breaks).entries()) {
      const outage = outages[index] as Outage
      const outcome = breakIt(outage).then((count) => expectAllDelivered(outage, count))
      outcome.catch(() => undefined)
      healed.set(name, outcome)
    }
  })
  after(() => Promise.all(outages.map((outage) => outage.close())))

  for (const name of Object.keys(breaks))
    it(`delivers every event even if Redis is ${name}`, () => healed.get(name))

  it('shuts down within 8 s while Redis is frozen', async () =>
    expect(await stopped).to.be.below(6_000 + deadlineMs(2_000)))

  it('exits with code 0 on SIGTERM, even during a delivery attempt', async () => {
    await Promise.all(healed.values())
    const outage = outages[0] as Outage
    const { redis, web, worker, endpointServer } = outage
    const held: ServerResponse[] = []
    endpointServer.respondWith((res) => void held.push(res))
    await createSome(outage, 1)
    await waitFor('an attempt has started', () => held.length === 1)
    await redis.kill('SIGKILL')
    for (const each of [web, worker]) each.kill('SIGTERM')
    await waitFor('web has ended', () => !web.isAlive(), 15_000)
    expect(worker.isAlive()).to.equal(true)
    held[0]?.writeHead(500).end()
    await waitFor('both ended', () => !web.isAlive() && !worker.isAlive(), 15_000)
    expect([await web.exited, await worker.exited]).to.deep.equal([0, 0])
  })
})
