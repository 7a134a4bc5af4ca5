import { type Job, Queue, UnrecoverableError, Worker } from 'bullmq'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { newId } from '../../src/ids.ts'
import { neverCancels } from '../../src/intents/lifecycle.ts'
import type { QueueName } from '../../src/jobs.ts'
import { sweep, sweepEveryMs } from '../../src/sweep.ts'
import { newAccount } from '../../src/wallets/sandbox/account.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { deliveryId } from '../../src/webhooks/deliveries/delivery-id.ts'
import { maintenance } from '../../workers/maintenance.ts'
import { attempt, createIntent, deliveriesOf, freshDelivery, stored, subscribe } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { storeOrder } from '../support/orders.ts'
import { storedIntent } from '../support/pay.ts'
import { profiled } from '../support/profiled.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { loseAllJobs } from '../support/redis-keys.ts'
import { until } from '../support/until.ts'

const dayMs = 86_400_000
const named = { jobId: 'sweep-overdue', name: 'maintenance' }

describe('the sweep', () => {
  let house: House
  let receiver: Receiver
  let merchant: Merchant
  let redis: Redis
  const queues = new Map<QueueName, Queue>()
  before(async () => {
    receiver = await startReceiver()
  })
  beforeEach(async () => {
    house = await openHouse()
    await until('Redis', () => house.deps.queues.ping().then(Boolean, () => false))
    redis = new Redis(house.deps.config.redisUrl, { maxRetriesPerRequest: null })
    merchant = await house.merchant()
    await subscribe(house, merchant, receiver.url)
    receiver.respondWith((res) => void res.end())
  })
  afterEach(async () => {
    await Promise.all([...queues.values()].map((queue) => queue.close()))
    queues.clear()
    redis.disconnect()
    await house.close()
  })
  after(() => receiver.close())

  const prefixed = () => ({ connection: redis, prefix: house.deps.config.queuePrefix })
  function queueOf(name: QueueName): Queue {
    const queue = queues.get(name) ?? new Queue(name, prefixed())
    queues.set(name, queue)
    return queue
  }
  const stateOf = async ({ _id }: { _id: string }) => queueOf('webhook-delivery').getJobState(`${_id}-r0`)
  const waits = (delivery: Delivery, state: string) =>
    until(state, async () => (await stateOf(delivery)) === state)
  /** What the sweep adds waits behind fresh events: BullMQ calls that prioritized. */
  const swept = 'prioritized'

  /** Forgets all nudges, once those under way have arrived. */
  async function loseJobs(expected: QueueName) {
    await until('a job', async () => (await queueOf(expected).count()) > 0)
    await loseAllJobs(house.deps.config.redisUrl, house.deps.config.queuePrefix)
  }

  /** A delivery whose job was lost. */
  async function lostDelivery(): Promise<Delivery> {
    const delivery = await freshDelivery(house, merchant)
    await loseJobs('webhook-delivery')
    expect(await stateOf(delivery)).to.equal('unknown')
    return delivery
  }

  it('lets an intent expire before the thousands of another business whose time was up earlier', async () => {
    const neighbour = await house.merchant()
    const many = 6000
    const { referenceNumber: first } = await createIntent(house, merchant)
    const { referenceNumber: last } = await createIntent(house, neighbour)
    const { codeKey, ...one } = await storedIntent(house, first)
    expect(codeKey).to.be.a('string')
    const at = new Date(house.clock.now().getTime() - 60_000)
    await house.deps.Intent.collection.insertMany(
      Array.from({ length: many }, (_each, n) => ({
        ...one,
        _id: newId(),
        referenceNumber: `PI-${n}`,
        shortCode: `s${n}`,
        expiresAt: at,
        cancelsAt: at,
        outbox: [],
      })) as never,
    )
    const due = new Date(at.getTime() + 30_000)
    await house.deps.Intent.updateOne(
      { referenceNumber: last },
      { $set: { expiresAt: due, cancelsAt: due, outbox: [] } },
    )
    const { expiries } = await sweep(house.deps, false)
    expect(expiries).to.equal(5001)
    const workers = house.startWorkers()
    await until(
      'the expiry of the neighbour',
      async () => (await storedIntent(house, last)).status === 'CANCELLED',
    )
    expect(await house.deps.Intent.countDocuments({ status: 'PENDING' })).to.be.above(many / 2)
    await workers.close()
  }).timeout(60_000)

  it('wakes the relay for an event that nobody relayed, once it is old enough to have lost its nudge', async () => {
    const { referenceNumber } = await createIntent(house, merchant)
    await loseJobs('outbox-relay')
    expect((await sweep(house.deps, true)).outboxes).to.equal(0)
    house.clock.advance(2_000)
    expect((await sweep(house.deps, true)).outboxes).to.equal(1)
    const intent = await house.deps.Intent.findOne({ referenceNumber }).lean()
    const [job] = await until('a relay job', async () => {
      const jobs = await queueOf('outbox-relay').getWaiting()
      return jobs.length > 0 && jobs
    })
    expect(job?.data).to.deep.equal({ intentIds: [intent?._id], orderIds: [] })
  })

  it('wakes the relay for an order too', async () => {
    const order = await storeOrder(house, merchant)
    expect((await sweep(house.deps, false)).outboxes).to.equal(0)
    house.clock.advance(2_000)
    expect((await sweep(house.deps, false)).outboxes).to.equal(1)
    const [job] = await until('a relay job', async () => {
      const jobs = await queueOf('outbox-relay').getWaiting()
      return jobs.length > 0 && jobs
    })
    expect(job?.data).to.deep.equal({ intentIds: [], orderIds: [order._id] })
  })

  it('adds the job of a delivery that is due, once, however often it runs', async () => {
    const delivery = await lostDelivery()
    for (const _again of [1, 2, 3]) expect((await sweep(house.deps, true)).deliveries).to.equal(1)
    await waits(delivery, swept)
    expect(await queueOf('webhook-delivery').count()).to.equal(1)
  })

  it('adds the job of an attempt that was cut short, when its lease is over', async () => {
    const delivery = await lostDelivery()
    const lease = { token: 'of a dead process', until: new Date(house.clock.now().getTime() + 10_000) }
    await house.deps.Delivery.updateOne({ _id: delivery._id }, { $set: { lease } })
    expect((await sweep(house.deps, true)).deliveries).to.equal(0)
    house.clock.advance(10_000)
    expect((await sweep(house.deps, true)).deliveries).to.equal(1)
    await waits(delivery, swept)
  })

  it('adds jobs ahead of their time, so that they are there on the second', async () => {
    receiver.respondWith((res) => void res.writeHead(500).end())
    const delivery = await lostDelivery()
    await attempt(house.deps, delivery._id)
    await attempt(house.deps, (await lostDelivery())._id)
    house.clock.advance(30_000)
    await attempt(house.deps, delivery._id)
    // One is due now, the other in 120 s: too far ahead.
    expect((await sweep(house.deps, true)).deliveries).to.equal(1)
    house.clock.advance(95_000)
    await loseJobs('webhook-delivery')
    expect((await sweep(house.deps, true)).deliveries).to.equal(2)
    await waits(delivery, 'delayed')
    const job = await queueOf('webhook-delivery').getJob(`${delivery._id}-r0`)
    const waitMs =
      ((await stored(house, delivery)).nextAttemptAt?.getTime() ?? 0) - house.clock.now().getTime()
    expect(job?.delay).to.be.within(waitMs, 25_000)
  })

  const endings = {
    failed: () => Promise.reject(new UnrecoverableError('as if it were DEAD')),
    completed: () => Promise.resolve(),
  }
  for (const [state, end] of Object.entries(endings))
    it(`removes a job that stands in ${state} while its delivery is due, and adds it again`, async () => {
      const delivery = await freshDelivery(house, merchant)
      await waits(delivery, 'waiting')
      const worker = new Worker('webhook-delivery', (_job: Job) => end(), prefixed())
      await waits(delivery, state)
      await worker.close()
      expect((await sweep(house.deps, true)).deliveries).to.equal(1)
      await waits(delivery, swept)
    })

  it('where Redis was emptied asks for one whole sweep, and does not wait for it', async () => {
    const { _id } = await lostDelivery()
    house.clock.advance(dayMs)
    for (const _slot of [1, 2, 3]) expect((await sweep(house.deps, false)).deliveries).to.equal(0)
    await until('it is asked for', async () => (await queueOf('maintenance').count()) > 0)
    const asked = await queueOf('maintenance').getWaiting()
    expect(asked.map(({ id, data }) => [id, data.reach])).to.deep.equal([['sweep-all', 'all']])
    house.startWorkers()
    await until('delivered', async () => (await stored(house, { _id })).status === 'DELIVERED')
    await until(
      'its id is free again',
      async () => (await queueOf('maintenance').getJob('sweep-all')) === undefined,
    )
    expect(await house.deps.queues.standing.isWhole()).to.equal(true)
  })

  it('gives one receiver no more than it can take, and comes again at once for what is left', async () => {
    const like = await lostDelivery()
    const many = Array.from(
      { length: 5_100 },
      (): Delivery => ({ ...like, _id: deliveryId(newId(), like.endpointId) }),
    )
    await house.deps.Delivery.collection.insertMany(many as never[])
    house.clock.advance(dayMs)
    const { nextStep, log } = await maintenance.run(house.deps, { slot: 'overdue', reach: 'overdue' }, named)
    expect(await queueOf('webhook-delivery').count()).to.equal(5_000)
    expect(log).to.include({ deliveries: 5_101, left: 101 })
    expect(nextStep.next).to.equal('later')
    await house.deps.Delivery.deleteMany({})
    const done = await maintenance.run(house.deps, { slot: 'overdue', reach: 'overdue' }, named)
    expect(done.nextStep.next).to.equal('complete')
  })

  it('of a slot long past does nothing, as those since have done all that it would', async () => {
    const delivery = await lostDelivery()
    house.clock.advance(30_000)
    const slot = Math.floor(house.clock.now().getTime() / sweepEveryMs)
    const run = (its: number) => maintenance.run(house.deps, { slot: String(its), reach: 'lately' }, named)
    const past = await run(slot - 2)
    expect([past.nextStep.next, past.log]).to.deep.equal([
      'complete',
      { slot: String(slot - 2), reach: 'lately', past: true },
    ])
    expect(await queueOf('webhook-delivery').count()).to.equal(0)
    expect((await run(slot - 1)).log).to.include({ deliveries: 1 })
    await waits(delivery, swept)
  })

  it('leaves a job that waits as it is', async () => {
    const delivery = await freshDelivery(house, merchant)
    await waits(delivery, 'waiting')
    const before = await queueOf('webhook-delivery').getJob(`${delivery._id}-r0`)
    await sweep(house.deps, true)
    await sweep(house.deps, true)
    const after = await queueOf('webhook-delivery').getJob(`${delivery._id}-r0`)
    expect(after?.timestamp).to.equal(before?.timestamp)
    expect(await queueOf('webhook-delivery').count()).to.equal(1)
  })

  it('adds the job of an intent whose time is up, or will be before the next few sweeps', async () => {
    const { referenceNumber } = await createIntent(house, merchant)
    await loseJobs('outbox-relay')
    const state = () => queueOf('intent-expiry').getJobState(referenceNumber)
    house.clock.advance(dayMs - 60_000)
    expect((await sweep(house.deps, true)).expiries).to.equal(0)
    house.clock.advance(40_000)
    expect((await sweep(house.deps, true)).expiries).to.equal(1)
    await until('delayed', async () => (await state()) === 'delayed')
    await loseAllJobs(house.deps.config.redisUrl, house.deps.config.queuePrefix)
    house.clock.advance(20_000)
    expect((await sweep(house.deps, true)).expiries).to.equal(1)
    await until('waiting', async () => (await state()) === 'waiting')
  })

  it('goes on to all else when one look fails, and tells of it in the end', async () => {
    await createIntent(house, merchant)
    await loseJobs('outbox-relay')
    house.clock.advance(dayMs)
    const standing = {
      ...house.deps.queues.standing,
      isWhole: () => Promise.reject(new Error('nobody can tell')),
    }
    const wallets = { find: () => expect.fail('no wallets') } as never
    const failing = { ...house.deps, queues: { ...house.deps.queues, standing }, WalletAccount: wallets }
    const fault = await sweep(failing, false).catch((error: Error) => error.message)
    expect(fault).to.equal('nobody can tell')
    await until('the relay', async () => (await queueOf('outbox-relay').count()) === 1)
    expect(await queueOf('intent-expiry').count()).to.equal(1)
    expect(await queueOf('maintenance').count()).to.equal(0)
  })

  it('ends what was left behind of each wallet, though one cannot be ended', async () => {
    const since = house.clock.now()
    const accounts = ['31000001', '31000002', '31000003'].map((phone) => ({
      ...newAccount({ _id: phone, phone, businessId: null, pinHash: null, balance: 100 }, since),
      current: { nonce: newId(), key: newId(), kind: 'refund', amount: 1, paymentKey: phone, since },
    }))
    await house.deps.WalletAccount.collection.insertMany(accounts as never[])
    // A row that nothing of ours has written.
    await house.deps.WalletMovement.collection.insertOne({ _id: '31000002' } as never)
    house.clock.advance(10_000)
    expect(await sweep(house.deps, false)).to.include({ movements: 3 })
    const after = await house.deps.WalletAccount.find().sort({ _id: 1 }).lean()
    expect(after.map(({ current }) => current === null)).to.deep.equal([true, false, true])
  })

  it('finds nothing where all is done: delivered, DEAD, cancelled, or no longer PENDING', async () => {
    const made = [await lostDelivery(), await lostDelivery(), await lostDelivery(), await lostDelivery()]
    await attempt(house.deps, made[0]?._id ?? '')
    receiver.respondWith((res) => void res.writeHead(500).end())
    for (let count = 1; count <= 8; count += 1) {
      await attempt(house.deps, made[1]?._id ?? '')
      house.clock.advance(dayMs)
    }
    await house.deps.Endpoint.updateMany({ businessId: merchant.businessId }, { $set: { active: false } })
    for (const { _id } of made.slice(2)) await attempt(house.deps, _id)
    const ended = await deliveriesOf(house, merchant)
    expect(ended.map(({ status }) => status)).to.deep.equal(['DELIVERED', 'DEAD', 'CANCELLED', 'CANCELLED'])
    expect(await sweep(house.deps, true)).to.include({ deliveries: 0, outboxes: 0 })
  })

  it('finds all of it by an index, however much there is that needs nothing', async () => {
    await freshDelivery(house, merchant)
    const { referenceNumber } = await createIntent(house, merchant)
    const askAt = house.clock.now()
    const held = {
      underWay: { id: newId(), askAt },
      cancelsAt: neverCancels,
      refunds: [{ id: newId(), askAt }],
    }
    await house.deps.Intent.updateOne({ referenceNumber }, { $set: held })
    house.clock.advance(dayMs)
    const current = { nonce: newId(), key: newId(), kind: 'payment', amount: 1, since: askAt }
    await house.deps.WalletAccount.collection.insertOne({ _id: '33445566', balance: 0, current } as never)
    await storeOrder(house, merchant)
    house.clock.advance(2_000)
    const found = {
      outboxes: 2,
      deliveries: 1,
      expiries: 1,
      movements: 1,
      reservations: 0,
      imports: 0,
      outcomes: 2,
      restored: 0,
      audited: 0,
    }
    const done = await profiled(house, async () => {
      expect(await sweep(house.deps, true)).to.deep.equal(found)
    })
    const isLookedAt = /\.(intents|orders|products|importplans|deliveries|wallets)$/
    const plans = done
      .filter(({ ns }) => isLookedAt.test(ns))
      .map(({ command, planSummary }) => [command['find'] ?? command['aggregate'], planSummary])
      .filter(([collection]) => collection !== undefined)
    // Customers wait for these.
    expect(plans[0]).to.deep.equal(['intents', 'IXSCAN { underWay.askAt: 1 }'])
    expect(plans).to.have.deep.members([
      ['intents', 'IXSCAN { outbox.createdAt: 1 }'],
      ['orders', 'IXSCAN { outbox.createdAt: 1 }'],
      ['deliveries', 'IXSCAN { nextAttemptAt: 1 }'],
      ['deliveries', 'IXSCAN { nextAttemptAt: 1 }'],
      ['intents', 'IXSCAN { cancelsAt: 1, businessId: 1 }'],
      ['wallets', 'IXSCAN { current.key: 1 }'],
      ['products', 'IXSCAN { reservations.at: 1 }'],
      ['importplans', 'IXSCAN { leaseUntil: 1 }'],
      ['products', 'IXSCAN { prepared.by: 1 }'],
      ['intents', 'IXSCAN { underWay.askAt: 1 }'],
      ['intents', 'IXSCAN { refunds.askAt: 1 }'],
      ['deliveries', 'IXSCAN { deadAt: -1, businessId: 1, endpointId: 1, sandbox: 1 }'],
      ['deliveries', 'IXSCAN { unaudited.at: 1 }'],
    ])
  })

  it('runs by itself when a worker starts: all that was lost is done without any nudge', async () => {
    const lost = await lostDelivery()
    house.clock.advance(dayMs)
    await createIntent(house, merchant)
    await loseJobs('outbox-relay')
    house.clock.advance(2_000)
    house.startWorkers()
    const told = async () => (await deliveriesOf(house, merchant)).map(({ event, status }) => [event, status])
    const everything = [
      ['payment.created', 'DELIVERED'],
      ['payment.created', 'DELIVERED'],
      ['payment.expired', 'DELIVERED'],
    ]
    await until('all is done', async () => {
      const now = await told()
      return now.length === everything.length && now.every(([, status]) => status === 'DELIVERED')
    })
    expect(await told()).to.have.deep.members(everything)
    expect(await stored(house, lost)).to.include({ status: 'DELIVERED', attempts: 1 })
  })
})
