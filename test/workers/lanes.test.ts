import { Queue } from 'bullmq'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { type DeliveryLane, deliveryLanes } from '../../src/jobs.ts'
import { sweep } from '../../src/sweep.ts'
import { deliverInTurn } from '../../src/webhooks/attempts/deliver-in-turn.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { requeueDeliveries } from '../../src/webhooks/deliveries/requeue.ts'
import { attempt, createIntent, freshDelivery, relay, stored, subscribe } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { loseAllJobs } from '../support/redis-keys.ts'
import { until } from '../support/until.ts'

const dayMs = 86_400_000

describe('The lanes of deliveries', () => {
  let house: House
  let receiver: Receiver
  let merchant: Merchant
  let endpointId: string
  let redis: Redis
  let queues: Record<DeliveryLane, Queue>
  beforeEach(async () => {
    ;[house, receiver] = await Promise.all([openHouse(), startReceiver()])
    redis = new Redis(house.deps.config.redisUrl, { maxRetriesPerRequest: null })
    merchant = await house.merchant()
    ;({ id: endpointId } = await subscribe(house, merchant, receiver.url))
    const connected = { connection: redis, prefix: house.deps.config.queuePrefix }
    const opened = deliveryLanes.map((lane) => [lane, new Queue(lane, connected)])
    queues = Object.fromEntries(opened) as Record<DeliveryLane, Queue>
  })
  afterEach(async () => {
    await Promise.all(Object.values(queues).map((queue) => queue.close()))
    redis.disconnect()
    await house.close()
    await receiver.close()
  })

  const isIn = (lane: DeliveryLane, jobId: string, state: string) =>
    until(`${jobId} ${state} in ${lane}`, async () => (await queues[lane].getJobState(jobId)) === state)
  const isGone = (lane: DeliveryLane, jobId: string) => isIn(lane, jobId, 'unknown')
  const knownAs = (health: object) =>
    house.deps.Endpoint.updateOne(
      { _id: endpointId },
      { $set: Object.fromEntries(Object.entries(health).map(([key, value]) => [`health.${key}`, value])) },
    )
  const loseJobs = () => loseAllJobs(house.deps.config.redisUrl, house.deps.config.queuePrefix)
  const requeue = ({ _id }: Delivery) =>
    requeueDeliveries(house.deps, [_id], {
      actor: { kind: 'operator', name: 'somebody', ip: null },
      actId: `act-${String(Math.random())}`,
    })
  /** Fails all its attempts; no worker runs. */
  async function deadDelivery(): Promise<Delivery> {
    receiver.respondWith((res) => void res.writeHead(500).end())
    const delivery = await freshDelivery(house, merchant)
    for (let count = 1; count <= 8; count += 1) {
      await attempt(house.deps, delivery._id)
      house.clock.advance(dayMs)
    }
    expect((await stored(house, delivery)).status).to.equal('DEAD')
    return delivery
  }

  for (const [what, health] of [
    ['slow', { slow: true }],
    ['failing without an end', { failuresInRow: 100 }],
  ] as const)
    it(`an event for a receiver known to be ${what} goes to the slow lane, by the relay and by the sweep`, async () => {
      await knownAs(health)
      const { _id } = await freshDelivery(house, merchant)
      await isIn('webhook-delivery-slow', `${_id}-r0`, 'waiting')
      await loseJobs()
      await sweep(house.deps, true)
      await isIn('webhook-delivery-slow', `${_id}-r0`, 'prioritized')
      await isGone('webhook-delivery', `${_id}-r0`)
    })

  it('one that is sent again goes to the lane of its receiver', async () => {
    const delivery = await deadDelivery()
    await knownAs({ failuresInRow: 100 })
    await requeue(delivery)
    await isIn('webhook-delivery-slow', `${delivery._id}-r1`, 'waiting')
    await isGone('webhook-delivery', `${delivery._id}-r1`)
  })

  it('the sweep adds no second job where one stands in the other lane', async () => {
    const { _id } = await freshDelivery(house, merchant)
    await isIn('webhook-delivery', `${_id}-r0`, 'waiting')
    await knownAs({ slow: true })
    await sweep(house.deps, true)
    await isGone('webhook-delivery-slow', `${_id}-r0`)
  })

  it('who sends much stands behind who sends little, and every retry behind both', async () => {
    const [little, other] = [await house.merchant(), await startReceiver()]
    await subscribe(house, little, other.url)
    await Promise.all(Array.from({ length: 120 }, () => createIntent(house, merchant)))
    // Twice: what this process has seen of the first counts for the second.
    await relay(house, merchant)
    const last = await freshDelivery(house, merchant)
    const fresh = await freshDelivery(house, little)
    await until('all jobs', async () => (await queues['webhook-delivery'].count()) === 122)
    const priorityOf = async ({ _id }: Delivery) =>
      (await queues['webhook-delivery'].getJob(`${_id}-r0`))?.priority ?? -1
    expect(await priorityOf(fresh)).to.equal(0)
    expect(await priorityOf(last)).to.be.within(1, 100)
    other.respondWith((res) => void res.writeHead(500).end())
    house.startWorkers()
    await isIn('webhook-delivery', `${fresh._id}-r0`, 'delayed')
    expect(await priorityOf(fresh)).to.be.at.least(100_000)
    await other.close()
  })

  it('the health of an endpoint and the hour tell how its attempts went', async () => {
    const healthOf = async () => (await house.deps.Endpoint.findById(endpointId).lean())?.health
    receiver.respondWith((res) => void res.writeHead(500).end())
    const delivery = await freshDelivery(house, merchant)
    await attempt(house.deps, delivery._id)
    house.clock.advance(dayMs)
    const failedAt = house.clock.now()
    await attempt(house.deps, delivery._id)
    const failing = await until('two failures', async () => {
      const health = await healthOf()
      return health?.failuresInRow === 2 && health
    })
    expect(failing).to.include({ lastError: 'status', slow: false, lastSuccessAt: null })
    expect(failing.lastFailureAt?.getTime()).to.be.at.least(failedAt.getTime())
    receiver.respondWith((res) => void res.end())
    await attempt(house.deps, (await freshDelivery(house, merchant))._id)
    const well = await until('a success', async () => {
      const health = await healthOf()
      return health?.lastSuccessAt && health
    })
    expect(well).to.include({ failuresInRow: 0, lastError: 'status' })
    const hours = await house.deps.DeliveryHour.find().sort({ _id: 1 }).lean()
    expect(hours.map(({ delivered, retrying, dead }) => [delivered, retrying, dead])).to.deep.equal([
      [0, 1, 0],
      [1, 1, 0],
    ])
  })

  it('a job of an older re-queue does nothing, and the newer one clears it away', async () => {
    const delivery = await deadDelivery()
    await isIn('webhook-delivery', `${delivery._id}-r0`, 'waiting')
    receiver.respondWith((res) => void res.end())
    expect((await requeue(delivery)).get(delivery._id)).to.equal('requeued')
    const asking = { deliveryId: delivery._id, lane: 'webhook-delivery', hasWaited: false } as const
    const count = receiver.received.length
    expect(await deliverInTurn(house.deps, { ...asking, redrives: 0 })).to.include({
      outcome: 'nothing-to-do',
    })
    expect(receiver.received).to.have.length(count)
    house.startWorkers()
    await until('delivered', async () => (await stored(house, delivery)).status === 'DELIVERED')
    for (const lane of deliveryLanes)
      for (const jobId of [`${delivery._id}-r0`, `${delivery._id}-r1`]) await isGone(lane, jobId)
    expect(receiver.received).to.have.length(count + 1)
  })

  it('failed jobs come back when Redis was emptied under a living connection, once, and stay as they are', async () => {
    const delivery = await deadDelivery()
    house.startWorkers()
    await isIn('webhook-delivery', `${delivery._id}-r0`, 'failed')
    await loseJobs()
    await sweep(house.deps, false)
    await isIn('webhook-delivery', `${delivery._id}-r0`, 'failed')
    const finishedOn = (await queues['webhook-delivery'].getJob(`${delivery._id}-r0`))?.finishedOn
    for (const whole of [false, true]) expect((await sweep(house.deps, whole)).restored).to.equal(0)
    expect((await queues['webhook-delivery'].getJob(`${delivery._id}-r0`))?.finishedOn).to.equal(finishedOn)
    expect(await queues['webhook-delivery-slow'].getFailedCount()).to.equal(0)
  })

  it('a failed job whose delivery came to life another way leaves with the next whole sweep', async () => {
    const delivery = await deadDelivery()
    const workers = house.startWorkers()
    await isIn('webhook-delivery', `${delivery._id}-r0`, 'failed')
    await workers.close()
    await house.deps.Delivery.updateOne(
      { _id: delivery._id },
      { $set: { status: 'DELIVERED', deadAt: null } },
    )
    await sweep(house.deps, true)
    await isGone('webhook-delivery', `${delivery._id}-r0`)
  })

  for (const [count, lastMinutes] of [
    [450, 2.26],
    [3600, 16],
  ] as const)
    it(`of ${count} a held-back receiver gets 200, and the others are put off in MongoDB by ${lastMinutes} minutes at most`, async () => {
      const made = await freshDelivery(house, merchant)
      const many = Array.from({ length: count }, (_, index) => ({
        ...made,
        _id: `${String(index).padStart(24, 'e')}-${endpointId}`,
      }))
      await house.deps.Delivery.insertMany(many)
      await loseJobs()
      await knownAs({ slow: true })
      house.clock.advance(120_000)
      const sweptAt = house.clock.now().getTime()
      await sweep(house.deps, true)
      const tookMs = house.clock.now().getTime() - sweptAt
      expect(await queues['webhook-delivery-slow'].count()).to.equal(200)
      const nextAt = (await house.deps.Delivery.find({}, { nextAttemptAt: 1 }).lean())
        .map(({ nextAttemptAt }) => (nextAttemptAt?.getTime() ?? 0) - sweptAt)
        .filter((ms) => ms > 0)
      expect(nextAt).to.have.length(count + 1 - 200)
      expect(Math.min(...nextAt)).to.be.within(60_000, 60_000 + tookMs)
      expect(Math.max(...nextAt) / 60_000).to.be.within(0.9 * lastMinutes, lastMinutes + tookMs / 60_000)
    })
})
