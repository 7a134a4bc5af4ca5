import type { Queue } from 'bullmq'
import { expect } from 'chai'
import { wakeDelivery } from '../../src/webhooks/attempts/attempt-due.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { jobIdOf } from '../../src/webhooks/deliveries/delivery-job.ts'
import { requeueDeliveries } from '../../src/webhooks/deliveries/requeue.ts'
import { maintenance } from '../../workers/maintenance.ts'
import { restoreEveryMs, restoreJobs } from '../../workers/run/restore-jobs.ts'
import { deliveriesOf, storedDelivery, subscribe } from '../support/actions.ts'
import { deadDeliveries, deadDelivery } from '../support/dead-deliveries.ts'
import { withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { deleteAllKeys } from '../support/redis-keys.ts'
import { type Merchant, withServicePerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { isIn, withQueues } from '../workers/set-up.ts'

/** Support staff find every DEAD delivery among the failed jobs, even after Redis lost its data. */
describe("A DEAD delivery's failed job", () => {
  const service = withServicePerTest()
  const endpointServer = withEndpointServerPerTest()
  let merchant: Merchant
  let queue: Queue
  let delivery: Delivery
  const queues = withQueues('test')
  beforeEach(async () => {
    await waitFor('Redis', () => service.deps.queues.ping().then(Boolean, () => false))
    queue = queues.open(service, 'webhook-delivery')
    merchant = await service.merchant()
    await subscribe(service, merchant, endpointServer.url, ['payment.created'])
    endpointServer.respondWith((res) => void res.writeHead(500).end())
    delivery = await deadDelivery(service, merchant)
  })

  const loseJobs = () => deleteAllKeys(service.deps.config.redisUrl, service.deps.config.queuePrefix)
  const requeue = ({ _id }: Delivery) =>
    requeueDeliveries(service.deps, [_id], {
      actor: { kind: 'operator', name: 'an operator', from: null },
      reason: null,
    })
  const run = (slot: string, reach: 'lately' | 'all') =>
    maintenance.run(service.deps, { slot, reach }, { jobId: `restore-${slot}`, name: 'maintenance' })

  it('is restored after Redis has been emptied, and is not changed by further restores', async () => {
    service.startWorkers()
    await isIn(queue, jobIdOf(delivery), 'failed')
    await loseJobs()
    await restoreJobs(service.deps, 'lately')
    await isIn(queue, jobIdOf(delivery), 'failed')
    const finishedOn = (await queue.getJob(jobIdOf(delivery)))?.finishedOn
    for (const reach of ['lately', 'all'] as const) expect(await restoreJobs(service.deps, reach)).to.equal(0)
    expect((await queue.getJob(jobIdOf(delivery)))?.finishedOn).to.equal(finishedOn)
    expect(await queue.getFailedCount()).to.equal(1)
  })

  it('is restored automatically after Redis has been emptied, as are all other failed jobs from the last 30 days', async () => {
    await deadDeliveries(service, merchant, 60)
    service.clock.advance(20 * 86_400_000)
    await loseJobs()
    expect(await service.deps.queues.standing.isWhole()).to.equal(false)
    service.startWorkers()
    await waitFor('all are there', async () => (await queue.getFailedCount()) === 61)
    await waitFor('Redis is whole', () => service.deps.queues.standing.isWhole())
    const done = queues.open(service, 'maintenance')
    await waitFor('its id is free again', async () => (await done.getJob('restore-all')) === undefined)
  })

  it('is removed by the next full restore if the delivery is no longer DEAD in MongoDB', async () => {
    const workers = service.startWorkers()
    await isIn(queue, jobIdOf(delivery), 'failed')
    await workers.close()
    await service.deps.Delivery.updateOne(
      { _id: delivery._id },
      { $set: { status: 'DELIVERED', deadAt: null, deliveredAt: service.clock.now() } },
    )
    await restoreJobs(service.deps, 'all')
    await isIn(queue, jobIdOf(delivery), 'unknown')
  })

  it('does nothing if it belongs to an earlier re-queue, and is removed by the newer job', async () => {
    endpointServer.respondWith((res) => void res.end())
    await isIn(queue, jobIdOf(delivery), 'waiting')
    expect((await requeue(delivery)).get(delivery._id)).to.equal('requeued')
    const count = endpointServer.received.length
    const { attempts, requeues, _id: deliveryId } = delivery
    expect(await wakeDelivery(service.deps, { deliveryId, attempts, requeues })).to.deep.equal({
      outcome: 'superseded',
    })
    expect(endpointServer.received).to.have.length(count)
    service.startWorkers()
    await waitFor('delivered', async () => (await storedDelivery(service, delivery)).status === 'DELIVERED')
    for (const jobId of [jobIdOf(delivery), jobIdOf({ ...delivery, requeues: 1 })]) await isIn(queue, jobId, 'unknown')
    expect(endpointServer.received).to.have.length(count + 1)
    expect((await deliveriesOf(service, merchant)).map(({ requeues: times }) => times)).to.deep.equal([1])
  })

  it('is not restored by a maintenance job for a past time slot, because later jobs cover that time', async () => {
    await loseJobs()
    service.clock.advance(30_000)
    const slot = Math.floor(service.clock.now().getTime() / restoreEveryMs)
    expect((await run(String(slot - 2), 'lately')).log).to.include({ past: true })
    expect(await queue.count()).to.equal(0)
    expect((await run(String(slot - 1), 'lately')).log).to.include({ restored: 1 })
    await isIn(queue, jobIdOf(delivery), 'waiting')
  })
})
