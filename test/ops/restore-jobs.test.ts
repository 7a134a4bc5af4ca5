import type { Queue } from 'bullmq'
import { wakeDelivery } from '../../src/webhooks/attempts/attempt-due.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { jobIdOf } from '../../src/webhooks/deliveries/delivery.ts'
import { requeueDeliveries } from '../../src/webhooks/deliveries/requeue.ts'
import { requestJobRestore, restoreJobs } from '../../workers/maintenance.ts'
import { deliveriesOf, openSecondProcess, storedDelivery, subscribe } from '../support/actions.ts'
import { deadDeliveries, deadDelivery } from '../support/dead-deliveries.ts'
import { withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { deleteAllKeys } from '../support/redis-keys.ts'
import { type Merchant, type Service, withServicePerTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { isIn, withQueues } from '../workers/set-up.ts'

/** Support staff find every DEAD delivery among the failed jobs, even after Redis lost its data. */
describe('The failed job of a DEAD delivery', () => {
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
  type AddMissing = Service['deps']['queues']['storedJobs']['addMissing']
  const withAddMissing = (addMissing: AddMissing) => ({
    ...service.deps,
    queues: { ...service.deps.queues, storedJobs: { ...service.deps.queues.storedJobs, addMissing } },
  })
  const by = { actor: { kind: 'operator', name: 'an operator', from: null }, reason: null } as const
  const requeue = ({ _id }: Delivery) => requeueDeliveries(service.deps, [_id], by)

  it('is restored only once after Redis has been emptied', async () => {
    service.startWorkers()
    await isIn(queue, jobIdOf(delivery), 'failed')
    await loseJobs()
    await restoreJobs(service.deps)
    await isIn(queue, jobIdOf(delivery), 'failed')
    const finishedOn = (await queue.getJob(jobIdOf(delivery)))?.finishedOn
    for (const _again of [1, 2]) expect(await restoreJobs(service.deps)).to.equal(0)
    expect((await queue.getJob(jobIdOf(delivery)))?.finishedOn).to.equal(finishedOn)
    expect(await queue.getFailedCount()).to.equal(1)
  })

  it('is looked for only once, and never missed', async () => {
    const looks = new Map<string, number>()
    const { storedJobs } = service.deps.queues
    const addMissing: AddMissing = (name, jobs) => {
      for (const { jobId } of jobs) looks.set(jobId, (looks.get(jobId) ?? 0) + 1)
      return storedJobs.addMissing(name, jobs)
    }
    const restoreFor = async (seconds: number) => {
      for (let each = 0; each < seconds; each += 6) {
        service.clock.advance(6_000)
        await restoreJobs(withAddMissing(addMissing))
      }
    }
    await restoreJobs(service.deps)
    await restoreFor(60)
    looks.clear()
    const early = await deadDeliveries(service, merchant, 5)
    await restoreFor(24)
    // These died up to 29 s ago, and are stored only now.
    const late = await deadDeliveries(service, merchant, 29)
    await restoreFor(660)
    const ids = [...early, ...late].map(jobIdOf)
    expect([...looks]).to.have.deep.members(ids.map((id) => [id, 1]))
    for (const id of ids) expect(await queue.getJob(id)).to.be.an('object')
  })

  it('is restored after a failed look', async () => {
    await restoreJobs(service.deps)
    const [dead] = await deadDeliveries(service, merchant, 1)
    service.clock.advance(60_000)
    const addMissing = () => Promise.reject(new Error('Redis is gone'))
    expect(await restoreJobs(withAddMissing(addMissing)).catch(String)).to.include('Redis is gone')
    expect(await restoreJobs(service.deps)).to.equal(1)
    expect(await restoreJobs(service.deps)).to.equal(0)
    expect(await queue.getJob(jobIdOf(dead as Delivery))).to.be.an('object')
  })

  it('stays in doubt if Redis loses its data during a look', async () => {
    const { storedJobs } = service.deps.queues
    await restoreJobs(service.deps)
    await deadDeliveries(service, merchant, 1)
    service.clock.advance(60_000)
    const addMissing: AddMissing = async (name, jobs) => {
      const added = await storedJobs.addMissing(name, jobs)
      await loseJobs()
      return added
    }
    for (const _each of ['known times', 'all times']) {
      await restoreJobs(withAddMissing(addMissing))
      expect(await storedJobs.isComplete()).to.equal(false)
    }
    expect(await restoreJobs(service.deps)).to.equal(2)
    expect(await storedJobs.isComplete()).to.equal(true)
  })

  it('is restored automatically after Redis has been emptied', async () => {
    await deadDeliveries(service, merchant, 60)
    service.clock.advance(20 * 86_400_000)
    await loseJobs()
    expect(await service.deps.queues.storedJobs.isComplete()).to.equal(false)
    service.startWorkers()
    await waitFor('all are there', async () => (await queue.getFailedCount()) === 61)
    await waitFor('Redis has all jobs', () => service.deps.queues.storedJobs.isComplete())
  })

  it('is removed by the next full restore if the delivery is no longer DEAD', async () => {
    const workers = service.startWorkers()
    await isIn(queue, jobIdOf(delivery), 'failed')
    await workers.close()
    const delivered = { status: 'DELIVERED', deadAt: null, deliveredAt: service.clock.now() } as const
    await service.deps.Delivery.updateOne({ _id: delivery._id }, delivered)
    await service.deps.queues.storedJobs.doubt()
    await restoreJobs(service.deps)
    await isIn(queue, jobIdOf(delivery), 'unknown')
  })

  it('does nothing if it is older than a re-queue', async () => {
    endpointServer.respondWith((res) => void res.end())
    await isIn(queue, jobIdOf(delivery), 'waiting')
    expect((await requeue(delivery)).get(delivery._id)).to.equal('requeued')
    const count = endpointServer.received.length
    expect(await wakeDelivery(service.deps, delivery)).to.deep.equal({ outcome: 'superseded' })
    expect(endpointServer.received).to.have.length(count)
    service.startWorkers()
    await waitFor('delivered', async () => (await storedDelivery(service, delivery)).status === 'DELIVERED')
    for (const jobId of [jobIdOf(delivery), jobIdOf({ ...delivery, requeues: 1 })])
      await isIn(queue, jobId, 'unknown')
    expect(endpointServer.received).to.have.length(count + 1)
    expect((await deliveriesOf(service, merchant)).map(({ requeues: times }) => times)).to.deep.equal([1])
  })

  it('is restored by a single job if several processes request it at once', async () => {
    const processes = await Promise.all([1, 2, 3].map(() => openSecondProcess(service)))
    for (const { deps } of processes) requestJobRestore(deps)
    // A process sends its jobs before it ends.
    await Promise.all(processes.map((each) => each.close()))
    expect(await queues.open(service, 'maintenance').count()).to.equal(1)
  })
})
