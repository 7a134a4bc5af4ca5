import type { Queue } from 'bullmq'
import { retryJob } from '../../src/staff-pages/board/retry.ts'
import { pollDeliveries } from '../../src/webhooks/attempts/attempt-due.ts'
import { jobIdOf } from '../../src/webhooks/deliveries/delivery.ts'
import { createIntent, deliveriesOf, storedDelivery, subscribe } from '../support/actions.ts'
import { type EndpointServer, isSignedWith, startEndpointServer } from '../support/endpoint-server.ts'
import { createGate } from '../support/gate.ts'
import { dumpKeys } from '../support/redis-keys.ts'
import { withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { hasStatus, isIn, withQueues } from './set-up.ts'

describe("A delivery's job", () => {
  const service = withService({ WEBHOOK_RETRY_SECONDS: '0.05,0.05,0.05,0.05,0.05,0.05,0.05' })
  const queues = withQueues('describe')
  before(() => service.startWorkers())
  const queueOf = () => queues.open(service, 'webhook-delivery')
  async function createDelivery(respond: (count: number) => number) {
    const [merchant, endpointServer] = await Promise.all([service.merchant(), startEndpointServer()])
    endpointServer.respondWith((res, count) => void res.writeHead(respond(count)).end('a response'))
    const { secret } = await subscribe(service, merchant, endpointServer.url, ['payment.created'])
    const intent = await createIntent(service, merchant, {
      amount: 4321,
      label: 'a-label-of-this-test',
      metadata: { order: 'a-value-of-this-test' },
    })
    const [first] = await endpointServer.atLeast(1)
    const [delivery] = await deliveriesOf(service, merchant)
    return { merchant, endpointServer, secret, intent, id: delivery?._id ?? '', first }
  }
  const gapsOf = ({ received }: EndpointServer) =>
    received.slice(1).map(({ at }, index) => at - (received[index]?.at ?? 0))
  const jobOf = (id: string, attempts: number) => jobIdOf({ _id: id, attempts, requeues: 0 })

  it('runs after each wait until the endpoint accepts the delivery', async () => {
    const { endpointServer, id, secret } = await createDelivery((count) => (count < 8 ? 500 : 200))
    const { attempts, attemptLog } = await hasStatus(service, id, 'DELIVERED')
    expect([attempts, attemptLog.length, endpointServer.received.length]).to.deep.equal([8, 8, 8])
    expect(Math.min(...gapsOf(endpointServer))).to.be.at.least(50)
    expect(endpointServer.received.every((one) => isSignedWith(secret, one) && one.json.id === id)).to.equal(
      true,
    )
    const queue = queueOf()
    for (let count = 0; count <= 8; count += 1) await isIn(queue, jobOf(id, count), 'unknown')
    await endpointServer.close()
  })

  it('completes while its attempt is still hanging', async () => {
    const [merchant, hanging, queue] = [await service.merchant(), await startEndpointServer(), queueOf()]
    const gate = createGate()
    hanging.respondWith((res, count) => {
      if (count === 1) res.writeHead(500).end()
      else void gate.passed.then(() => res.end())
    })
    await subscribe(service, merchant, hanging.url, ['payment.created'])
    await createIntent(service, merchant)
    await hanging.atLeast(2)
    const [delivery] = await deliveriesOf(service, merchant)
    const id = delivery?._id ?? ''
    await isIn(queue, jobOf(id, 1), 'unknown')
    expect(hanging.received).to.have.length(2)
    expect(await storedDelivery(service, { _id: id })).to.include({ status: 'RETRYING', attempts: 1 })
    gate.open()
    await hasStatus(service, id, 'DELIVERED')
    await hanging.close()
  })

  it('fails after the 8th failed attempt', async () => {
    const { merchant, endpointServer, id, intent } = await createDelivery(() => 500)
    await createIntent(service, merchant)
    const isDead = async () => {
      const made = await deliveriesOf(service, merchant)
      return made.length === 2 && made.every(({ status }) => status === 'DEAD') && made
    }
    const other = (await waitFor('both are dead', isDead)).find(({ _id }) => _id !== id)?._id ?? ''
    const queue = queueOf()
    for (const each of [id, other]) await isIn(queue, jobOf(each, 8), 'failed')
    const job = await queue.getJob(jobOf(id, 8))
    expect(job?.failedReason).to.equal('attempt 8: status 500')
    expect(job?.data).to.deep.equal({
      ref: intent.referenceNumber,
      host: endpointServer.host,
      failed: '8 of 8',
      error: 'status 500',
    })
    expect(endpointServer.received).to.have.length(16)
    expect((await storedDelivery(service, { _id: id })).attempts).to.equal(8)
    endpointServer.respondWith((res) => void res.end())
    const by = { actor: { kind: 'staff', name: 'awa.diop', from: null }, reason: null } as const
    expect(await retryJob(service.deps, queue, jobOf(id, 8), by)).to.include({ status: 204 })
    const nextAttemptAt = new Date(service.deps.now().getTime() - 1_000)
    const requeued = {
      status: 'RETRYING',
      requeues: 1,
      attemptsAtRequeue: 8,
      deadAt: null,
      nextAttemptAt,
    } as const
    await service.deps.Delivery.updateOne({ _id: other }, { $set: requeued })
    await pollDeliveries(service.deps)
    for (const each of [id, other]) {
      const delivered = await hasStatus(service, each, 'DELIVERED')
      expect(delivered).to.include({ attempts: 9, requeues: 1 })
      for (const jobId of [
        jobOf(each, 8),
        jobIdOf(delivered),
        jobIdOf({ _id: each, attempts: 8, requeues: 1 }),
      ])
        await isIn(queue, jobId, 'unknown')
    }
    await endpointServer.close()
  })

  describe('while it waits', () => {
    let made: Awaited<ReturnType<typeof createDelivery>>
    let queue: Queue
    let jobId: string
    before(async () => {
      service.deps.config.webhookRetryMs.fill(30_000)
      made = await createDelivery(() => 500)
      queue = queueOf()
      jobId = jobOf(made.id, 1)
      await isIn(queue, jobId, 'delayed')
    })
    after(() => made.endpointServer.close())

    it('shows how often and why the delivery has failed', async () => {
      const { nextAttemptAt } = await storedDelivery(service, { _id: made.id })
      const job = await queue.getJob(jobId)
      expect(job?.name).to.equal('payment.created')
      expect(job?.data).to.deep.equal({
        ref: made.intent.referenceNumber,
        host: made.endpointServer.host,
        failed: '1 of 8',
        error: 'status 500',
        next: nextAttemptAt?.toISOString(),
      })
      // BullMQ stores the time in the score: milliseconds times 4096, plus a counter.
      const score = Number(await queues.redis.zscore(queue.toKey('delayed'), jobId))
      // MongoDB's clock differs a little from this process's clock.
      expect(Math.floor(score / 4096) - (nextAttemptAt?.getTime() ?? 0)).to.be.within(-1000, 1000)
    })

    it('uses at most 700 bytes of memory in Redis', async () => {
      const bytes = Number(await queues.redis.memory('USAGE', queue.toKey(jobId)))
      const inSet = Buffer.byteLength(jobId) + 100
      expect(bytes + inSet).to.be.at.most(700)
    })

    it('contains no secret, payment code, label or signature', async () => {
      const { merchant, secret, intent, first } = made
      const { redisUrl, queuePrefix } = service.deps.config
      // A job's data is JSON within JSON, with escaped quotes.
      const text = (await dumpKeys(redisUrl, queuePrefix)).replaceAll('\\', '')
      expect(text).to.include(`"ref":"${intent.referenceNumber}"`)
      expect(text).to.include(jobId)
      const forbidden = [
        secret,
        merchant.key,
        'a-label-of-this-test',
        'a-value-of-this-test',
        'a response',
        'sha256=',
        'commission',
        String(first?.headers['x-service-signature']),
        intent.shortCode,
        `"${intent.code}"`,
      ]
      expect(forbidden.filter((secretText) => text.includes(secretText))).to.deep.equal([])
    })
  })
})
