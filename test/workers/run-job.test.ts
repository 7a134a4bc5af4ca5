import { DelayedError, type Job } from 'bullmq'
import { queueNames } from '../../schemas/jobs.ts'
import { createLog, type Log } from '../../src/platform/log.ts'
import { outboxRelayWorker } from '../../workers/outbox-relay.ts'
import { type JobResult, runJob } from '../../workers/run/run-job.ts'
import { warnOfUnservedQueues } from '../../workers/run/start.ts'
import { webhookDeliveryWorker } from '../../workers/webhook-delivery.ts'
import { breaks } from '../invariants/expect-invariants.ts'
import { freshDelivery, openSecondProcess, storedDelivery, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { openService, withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withQueues } from './set-up.ts'

describe('A BullMQ job', () => {
  const endpointServer = withEndpointServer()
  const words = { ref: 'PI-1', host: 'shop.example' }
  const warned: string[] = []
  const log = {
    ...createLog('silent', 'test', null),
    warn: (_: object, event: string) => void warned.push(event),
  } as unknown as Log
  const { service, merchant } = withServiceAndMerchant({ WORKER_QUEUES: 'webhook-delivery,maintenance' }, log)
  const queues = withQueues('describe')
  before(() => subscribe(service, merchant, endpointServer.url))
  beforeEach(() => void warned.splice(0))
  async function errorOf(result: Partial<JobResult>, moveToDelayed?: () => Promise<unknown>) {
    const job = { id: 'some-r0', name: 'payment.created', data: words, moveToDelayed } as unknown as Job
    const run = () => Promise.resolve({ event: 'webhook.attempted', log: {}, ...result })
    return runJob(service.deps, 'webhook-delivery', { run }, job, 'token').catch((error: unknown) => error)
  }

  for (const [what, moveToDelayed] of [
    ['cannot store the time of the next run', () => Promise.reject(new Error('Redis is down'))],
    ['never responds', () => new Promise(() => {})],
  ] as const)
    it(`ends without failing if it has to wait and Redis ${what}`, async () => {
      expect(await errorOf({ againAt: new Date() }, moveToDelayed)).to.be.instanceOf(DelayedError)
      expect(warned).to.deep.equal(['job.not-delayed'])
    })

  it('is retried after an error, unless a poll will find its work', async () => {
    const waits: number[] = []
    const job = {
      id: 'some-r0',
      name: 'any',
      data: { ...words, intentIds: ['some'], orderIds: [] },
      moveToDelayed: (at: number) => Promise.resolve(void waits.push(at)),
    } as unknown as Job
    const run = () => Promise.reject(new Error('MongoDB is down'))
    const retried = runJob(service.deps, 'webhook-delivery', { run }, job, 'token')
    expect(await retried.catch((error: unknown) => error)).to.be.instanceOf(DelayedError)
    expect(waits).to.have.length(1)
    await runJob(service.deps, 'outbox-relay', { ...outboxRelayWorker, run }, job, 'token')
    expect(waits).to.have.length(1)
    expect(warned).to.deep.equal(['job.interrupted', 'job.interrupted'])
  })

  it("starts the attempt requested by a re-queue, even if the previous job can't be removed", async () => {
    endpointServer.respondWith((res) => void res.end())
    const { _id } = await freshDelivery(service, merchant)
    breaks(service, 'delivery state', _id)
    await service.deps.Delivery.updateOne({ _id }, { $set: { requeues: 20, attempts: 8 } })
    const removed: string[] = []
    const storedJobs = {
      ...service.deps.queues.storedJobs,
      remove(_queue: string, jobIds: readonly string[]) {
        removed.push(...jobIds)
        return Promise.reject(new Error('Redis is down'))
      },
    }
    const deps = { ...service.deps, queues: { ...service.deps.queues, storedJobs } }
    deps.slots.open()
    const done = await webhookDeliveryWorker.run(deps, words, { jobId: `${_id}-r20.8`, name: 'an event' })
    await deps.backgroundWork.ended()
    deps.slots.close()
    expect(done.log).to.include({ deliveryId: _id, outcome: 'begun' })
    expect([done.againAt, done.failure]).to.deep.equal([null, undefined])
    expect((await storedDelivery(service, { _id })).status).to.equal('DELIVERED')
    expect(removed).to.deep.equal([`${_id}-r19.8`])
    expect(warned).to.deep.equal(['jobs.not-removed'])
  })

  const poison: unknown[] = [null, 'text', 7, [], [null], { referenceNumbers: null, intentIds: {}, ref: 1 }]
  const deepPoison = [{ $ne: null }, null, 7, ['PI-1']].map((each) => ({
    referenceNumbers: [each],
    intentIds: [each],
    orderIds: [each],
    intentId: each,
    ref: each,
    host: each,
  }))
  it('is completed and logged if its data is invalid', async () => {
    const own = await openService({}, log)
    const added = queueNames.map((name) => {
      const data = ['retention', 'maintenance'].includes(name)
        ? poison.slice(0, 4)
        : [...poison, ...deepPoison]
      return { queue: queues.open(own, name), data }
    })
    for (const { queue, data } of added)
      await queue.addBulk(
        data.map((each, index) => ({ name: 'any', data: each, opts: { jobId: `poison-${index}` } })),
      )
    for (const { queue } of added) await queues.redis.hset(queue.toKey('poison-0'), 'data', 'not JSON')
    own.startWorkers()
    for (const { queue, data } of added)
      await waitFor(`${queue.name} is rid of them`, async () => {
        const states = await Promise.all(data.map((_, index) => queue.getJobState(`poison-${index}`)))
        return states.every((state) => ['completed', 'unknown'].includes(state))
      })
    const invalid = warned.filter((event) => event === 'job.invalid')
    expect(invalid).to.have.length(added.flatMap(({ data }) => data).length)
    await own.close()
  })

  it('triggers a warning if no process serves its queue', async () => {
    const relays = queues.open(service, 'outbox-relay')
    await warnOfUnservedQueues(service.deps)
    expect(warned).to.deep.equal(['queue.unattended'])
    const all = await openSecondProcess(service)
    all.startWorkers()
    await waitFor('it is attended', async () => (await relays.getWorkersCount()) > 0)
    await waitFor('the warning stops', async () => {
      warned.splice(0)
      await warnOfUnservedQueues(service.deps)
      return warned.length === 0
    })
    await all.close()
  })
})
