import { DelayedError, type Job, Queue, UnrecoverableError } from 'bullmq'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import type { Deps } from '../../src/deps.ts'
import { createLog, type Log } from '../../src/log.ts'
import { deliveryId, endpointIdOf } from '../../src/webhooks/deliveries/delivery-id.ts'
import { outboxRelay } from '../../workers/outbox-relay.ts'
import type { NextStep } from '../../workers/run/queue-worker.ts'
import { runDelivery } from '../../workers/run/run-delivery.ts'
import { runJob } from '../../workers/run/run-job.ts'
import { warnOfUnattended } from '../../workers/run/warn-of-unattended.ts'
import { freshDelivery, openBeside, subscribe } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

describe('What becomes of a job', () => {
  let house: House
  let receiver: Receiver
  let merchant: Merchant
  const warned: string[] = []
  before(async () => {
    const log = {
      ...createLog('silent', 'test', null),
      warn: (_: object, event: string) => void warned.push(event),
    }
    receiver = await startReceiver()
    house = await openHouse({ WORKER_QUEUES: 'webhook-delivery,maintenance' }, log as unknown as Log)
    merchant = await house.merchant()
    await subscribe(house, merchant, receiver.url)
  })
  beforeEach(() => void warned.splice(0))
  after(async () => {
    await house.close()
    await receiver.close()
  })

  /** One run of a job whose work tells this next step, at a Redis that takes no answer. */
  async function outcomeOf(nextStep: NextStep): Promise<unknown> {
    const fails = () => Promise.reject(new Error('Redis is away'))
    const job = { id: 'some-r0', name: 'payment.created', data: {}, priority: 0, moveToDelayed: fails }
    const run = () => Promise.resolve({ nextStep, event: 'webhook.attempted', log: {} })
    return runJob(house.deps, { queue: 'webhook-delivery', run }, job as unknown as Job, 'token').catch(
      (error: unknown) => error,
    )
  }

  const later = { next: 'later', at: new Date() } as const

  it('one that waits never stands in failed, even if Redis cannot be told when it comes again', async () => {
    expect(await outcomeOf(later)).to.be.instanceOf(DelayedError)
    expect(warned).to.deep.equal(['job.not-put-back'])
  })

  it('one that waits ends also when Redis never answers, so that its process can stop', async () => {
    const job = { id: 'some-r0', name: 'payment.created', data: {}, priority: 0 }
    const silent = { ...job, moveToDelayed: () => new Promise(() => {}) }
    const run = () => Promise.resolve({ nextStep: later, event: 'webhook.attempted', log: {} })
    const ended = runJob(house.deps, { queue: 'webhook-delivery', run }, silent as unknown as Job, 'token')
    expect(await ended.catch((error: unknown) => error)).to.be.instanceOf(DelayedError)
    expect(warned).to.deep.equal(['job.not-put-back'])
  })

  it('one that met a fault comes again, but not one that the sweep makes anew', async () => {
    const waits: number[] = []
    const job = {
      id: 'some-r0',
      name: 'any',
      data: { intentIds: ['some'] },
      priority: 0,
      moveToDelayed: (at: number) => Promise.resolve(void waits.push(at)),
    } as unknown as Job
    const run = () => Promise.reject(new Error('MongoDB is away'))
    const outcome = await runJob(house.deps, { queue: 'webhook-delivery', run }, job, 'token').catch(
      (error: unknown) => error,
    )
    expect(outcome).to.be.instanceOf(DelayedError)
    expect(waits).to.have.length(1)
    await runJob(house.deps, { ...outboxRelay, run }, job, 'token')
    expect(waits).to.have.length(1)
    expect(warned).to.deep.equal(['job.interrupted', 'job.interrupted'])
  })

  it('one that failed for good ends in failed, however many tries BullMQ would still have', async () => {
    const error = await outcomeOf({ next: 'fail', reason: 'attempt 8: status 500' })
    expect(error).to.be.instanceOf(UnrecoverableError)
    expect(error).to.include({ message: 'attempt 8: status 500', stack: '' })
  })

  const words = { ref: 'PI-1', host: 'shop.example' }

  it('one that was put off is marked until its next attempt, by no counter of BullMQ', async () => {
    receiver.respondWith((res) => void res.writeHead(500).end())
    const { _id } = await freshDelivery(house, merchant)
    const asked: boolean[] = []
    const full: Deps = {
      ...house.deps,
      flow: {
        ...house.deps.flow,
        async enter(_receiver, { hasWaited }) {
          asked.push(hasWaited)
          return { againInMs: 0 }
        },
      },
    }
    const named = { jobId: `${_id}-r0`, name: 'payment.created' }
    const run = async (deps: Deps, data: typeof words & { putOff?: true }) =>
      (await runDelivery(deps, 'webhook-delivery', data, named)).nextStep
    const marked = { ...words, putOff: true } as const
    expect(await run(full, words)).to.deep.include({ next: 'later', data: marked })
    expect(await run(full, marked)).to.not.have.property('data')
    expect(asked).to.deep.equal([false, true])
    expect(await run(house.deps, marked)).to.deep.include({ next: 'later', data: words, priority: 100_001 })
  })

  it('one of a re-queue tells its result also when those before it cannot be tidied away', async () => {
    receiver.respondWith((res) => void res.end())
    const { _id } = await freshDelivery(house, merchant)
    await house.deps.Delivery.updateOne({ _id }, { $set: { redrives: 20 } })
    const asked: string[] = []
    const standing = {
      ...house.deps.queues.standing,
      remove(_among: readonly string[], jobIds: readonly string[]) {
        asked.push(...jobIds)
        return Promise.reject(new Error('Redis is away'))
      },
    }
    const deps = { ...house.deps, queues: { ...house.deps.queues, standing } }
    const done = await runDelivery(deps, 'webhook-delivery', words, { jobId: `${_id}-r20`, name: 'an event' })
    expect(done.log).to.include({ deliveryId: _id, outcome: 'delivered' })
    expect(asked).to.deep.equal([`${_id}-r19`, `${_id}-r18`, `${_id}-r17`])
    expect(warned).to.deep.equal(['jobs.not-tidied'])
  })

  it("finds its delivery's endpoint from the delivery id, which contains it", () => {
    const [event, endpoint] = ['0123456789abcdef01234567', 'fedcba9876543210fedcba98']
    expect(endpointIdOf(deliveryId(event, endpoint))).to.equal(endpoint)
  })

  it('is told to nobody where no process works on its queue, so a worker of other queues warns', async () => {
    const { redisUrl, queuePrefix: prefix } = house.deps.config
    const redis = new Redis(redisUrl, { maxRetriesPerRequest: null })
    const slow = new Queue('webhook-delivery-slow', { connection: redis, prefix })
    await warnOfUnattended(house.deps)
    expect(warned).to.deep.equal(['queue.unattended'])
    const all = await openBeside(house)
    all.startWorkers()
    await until('it is attended', async () => (await slow.getWorkersCount()) > 0)
    await until('nobody warns', async () => {
      warned.splice(0)
      await warnOfUnattended(house.deps)
      return warned.length === 0
    })
    await Promise.all([slow.close(), all.close()])
    redis.disconnect()
  })
})
