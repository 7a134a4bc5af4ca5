import type { Queue } from 'bullmq'
import { pollDeliveries } from '../../src/webhooks/attempts/attempt-due.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { deliveryLeaseMs, jobIdOf } from '../../src/webhooks/deliveries/delivery.ts'
import { startPollLoops } from '../../src/work/loop.ts'
import { polledWorks } from '../../workers/run/start.ts'
import {
  deliveriesOf,
  openSecondProcess,
  outboxEvents,
  recordFailures,
  recordRecentSuccess,
  relay,
  storedDelivery,
  subscribe,
} from '../support/actions.ts'
import { withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { deadlineMs } from '../support/machine.ts'
import { dumpKeys } from '../support/redis-keys.ts'
import { withServiceAndMerchantPerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { allDelivered, createIntents, holdRequests, withBatchers, withQueues } from './set-up.ts'

describe("A delivery's first attempt", () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const endpointServer = withEndpointServerPerTest()
  const queues = withQueues('describe')
  let endpointId: string
  let queue: Queue
  before(() => void (queue = queues.open(service, 'webhook-delivery')))
  beforeEach(async () => {
    endpointId = (await subscribe(service, merchant, endpointServer.url, ['payment.created'])).id
  })
  afterEach(() => service.deps.slots.close())
  const create = (count: number) => createIntents(service, merchant, count)
  const inRedis = () => dumpKeys(service.deps.config.redisUrl, service.deps.config.queuePrefix)
  const areDelivered = (count: number) => allDelivered(service, merchant, count)
  const arrivals = () => {
    const counts = new Map<string, number>()
    for (const { json } of endpointServer.received) counts.set(json.id, (counts.get(json.id) ?? 0) + 1)
    return [...counts.values()]
  }

  it('is made by the relay that inserts the delivery, without a job in Redis', async () => {
    const requests = holdRequests(endpointServer)
    await create(1)
    service.deps.slots.open()
    const began = service.clock.now().getTime()
    expect(await relay(service, merchant)).to.deep.equal({ events: 1, deliveries: 1 })
    await endpointServer.atLeast(1)
    const [delivery] = await deliveriesOf(service, merchant)
    expect(delivery).to.include({ status: 'PENDING', attempts: 0 })
    expect(delivery?.leaseToken).to.be.a('string')
    const afterMs = (delivery?.nextAttemptAt?.getTime() ?? 0) - began
    expect(afterMs).to.be.within(deliveryLeaseMs, deliveryLeaseMs + deadlineMs(5_000))
    expect(await outboxEvents(service, merchant)).to.deep.equal([])
    requests.release()
    await service.deps.backgroundWork.ended()
    const [done] = await areDelivered(1)
    expect(done).to.include({ attempts: 1, leaseToken: null, nextAttemptAt: null })
    expect(service.deps.slots.inFlight()).to.equal(0)
    expect(await inRedis()).not.to.include(delivery?._id)
  })

  it('starts without a job once a slot is free', async () => {
    await recordFailures(service, endpointId)
    const requests = holdRequests(endpointServer)
    const workers = service.startWorkers()
    await create(5)
    await waitFor('all are inserted', async () => (await deliveriesOf(service, merchant)).length === 5)
    await endpointServer.atLeast(2)
    const waiting = (await deliveriesOf(service, merchant)).filter(({ leaseToken }) => leaseToken === null)
    expect(waiting).to.have.length(3)
    expect(endpointServer.received).to.have.length(2)
    requests.release()
    await areDelivered(5)
    expect(arrivals()).to.deep.equal([1, 1, 1, 1, 1])
    await workers.close()
    expect(await inRedis()).not.to.include(waiting[0]?._id)
  })

  it('is left to other processes if the relaying process makes no attempts', async () => {
    const relays = await openSecondProcess(service, { WORKER_QUEUES: 'outbox-relay' })
    relays.startWorkers()
    await create(3)
    await waitFor('all are relayed', async () => {
      const made = await deliveriesOf(service, merchant)
      return made.length === 3 && (await queue.getWaitingCount()) === 3
    })
    for (const delivery of await deliveriesOf(service, merchant)) {
      expect(delivery.leaseToken).to.equal(null)
      expect(delivery.nextAttemptAt).to.deep.equal(delivery.createdAt)
      expect(await queue.getJobState(jobIdOf(delivery))).to.equal('waiting')
    }
    expect(endpointServer.received).to.have.length(0)
    const attempts = await openSecondProcess(service, { WORKER_QUEUES: 'webhook-delivery' })
    attempts.allowHost(endpointServer.host)
    attempts.startWorkers()
    await areDelivered(3)
    expect(arrivals()).to.deep.equal([1, 1, 1])
    await Promise.all([relays.close(), attempts.close()])
  })

  it('is made once per endpoint even if several processes relay the event in parallel', async () => {
    const { id } = await subscribe(service, merchant, endpointServer.url, ['payment.created'])
    for (const each of [endpointId, id]) await recordRecentSuccess(service, each)
    const beside = await openSecondProcess(service)
    beside.allowHost(endpointServer.host)
    const both = [service, beside]
    for (const { deps } of both) deps.slots.open()
    await create(10)
    await Promise.all([...both, ...both].map(({ deps }) => relay(service, merchant, deps)))
    await Promise.all(both.map(({ deps }) => deps.backgroundWork.ended()))
    await areDelivered(20)
    expect(arrivals()).to.deep.equal(Array(20).fill(1))
    for (const { deps } of both) expect(deps.slots.inFlight()).to.equal(0)
    await beside.close()
  })

  describe('after a MongoDB error', () => {
    const failing = (name: 'recordResult' | 'findBodySource' | 'findEndpoint' | 'leaseDelivery') =>
      withBatchers(service.deps, { [name]: () => Promise.reject(new Error('MongoDB is down')) })

    it("is repeated when the lease ends if its result couldn't be recorded", async () => {
      endpointServer.respondWith((res) => void res.writeHead(500).end())
      await create(1)
      service.deps.slots.open()
      await relay(service, merchant, failing('recordResult'))
      await service.deps.backgroundWork.ended()
      const [delivery] = await deliveriesOf(service, merchant)
      expect(delivery).to.include({ status: 'PENDING', attempts: 0 })
      expect(service.deps.slots.inFlight()).to.equal(0)
      service.clock.advance(deliveryLeaseMs + 500)
      await pollDeliveries(service.deps)
      await service.deps.backgroundWork.ended()
      const retriedOnce = { status: 'RETRYING', attempts: 1 }
      expect(await storedDelivery(service, delivery as Delivery)).to.include(retriedOnce)
      expect(arrivals()).to.deep.equal([2])
      await service.deps.Delivery.updateOne(
        { _id: delivery?._id ?? '' },
        { $set: { status: 'CANCELLED', nextAttemptAt: null } },
      )
    })

    it("isn't counted if the error came before the request", async () => {
      await create(1)
      await relay(service, merchant)
      service.deps.slots.open()
      service.clock.advance(1_000)
      for (const name of ['findEndpoint', 'leaseDelivery', 'findBodySource'] as const) {
        await pollDeliveries(failing(name)).catch(() => undefined)
        await service.deps.backgroundWork.ended()
        expect(service.deps.slots.inFlight(), name).to.equal(0)
        service.clock.advance(deliveryLeaseMs + 500)
      }
      expect(endpointServer.received).to.have.length(0)
      await pollDeliveries(service.deps)
      await service.deps.backgroundWork.ended()
      const [done] = await areDelivered(1)
      expect(done).to.include({ attempts: 1 })
    })

    it('is made by a later poll if the error came while its endpoint was waiting for a slot', async () => {
      await create(3)
      await relay(service, merchant)
      service.deps.slots.open()
      service.clock.advance(1_000)
      const [delivery] = await deliveriesOf(service, merchant)
      const { businessId, health, url } = await service.deps.Endpoint.findById(endpointId).orFail().lean()
      expect(delivery?.url).to.equal(url)
      // After a MongoDB error, the endpoint waits, although no slot will become free.
      service.deps.slots.setWaiting({ endpointId, businessId, health, origin: endpointServer.host })
      const polling = startPollLoops(service.deps, polledWorks)
      await areDelivered(3)
      await waitFor('no endpoint waits', () => service.deps.slots.waiting().length === 0)
      await polling.stop()
    })
  })
})
