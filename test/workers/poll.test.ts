import { expireDueIntents } from '../../src/intents/expire.ts'
import { neverCancelsAt } from '../../src/intents/lifecycle.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { newId } from '../../src/platform/ids.ts'
import { pollOutboxes } from '../../src/relay/poll.ts'
import { pollDeliveries } from '../../src/webhooks/attempts/attempt-due.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { startPollLoops } from '../../src/work/loop.ts'
import { polledWorks } from '../../workers/run/start.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import {
  createIntent,
  deliveriesOf,
  freshDelivery,
  outboxEvents,
  paymentEvents,
  recordRecentSuccess,
  storedDelivery,
  subscribe,
} from '../support/actions.ts'
import { startEndpointServer, withEndpointServer } from '../support/endpoint-server.ts'
import { createGate } from '../support/gate.ts'
import { storeOrder } from '../support/orders.ts'
import { storedIntent } from '../support/pay.ts'
import { profiled } from '../support/profiled.ts'
import { withMerchantPerTest, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { allDelivered, holdRequests, withBatchers } from './set-up.ts'

const dayMs = 86_400_000

describe("The workers' poll", () => {
  const service = withService()
  // The tests store due work without the requests that would have led to it.
  before(() => excuse([service.deps.mongo.name]))
  const merchant = withMerchantPerTest(service)
  const endpointServer = withEndpointServer()
  beforeEach(async () => {
    await subscribe(service, merchant, endpointServer.url, paymentEvents)
    endpointServer.received.splice(0)
    endpointServer.respondWith((res) => void res.end())
  })
  afterEach(async () => {
    const { backgroundWork, slots, Intent, Order, Delivery, Endpoint } = service.deps
    await backgroundWork.ended()
    slots.close()
    for (const model of [Intent, Order, Delivery, Endpoint]) await model.collection.deleteMany({})
  })
  async function manyIntents(count: number, change: object, owner = merchant): Promise<void> {
    const { referenceNumber } = await createIntent(service, owner)
    const { requestKey: _requestKey, ...like } = await storedIntent(service, referenceNumber)
    await service.deps.Intent.deleteOne({ referenceNumber })
    const many = Array.from({ length: count }, (_, index) => {
      const _id = newId()
      return { ...like, _id, codeKey: _id, referenceNumber: _id, shortCode: `${index}-${_id}`, ...change }
    })
    await service.deps.Intent.collection.insertMany(many as never[])
  }
  const ago = (ms: number) => new Date(service.clock.now().getTime() - ms)
  async function oldOutbox(createdAt: Date) {
    const { referenceNumber } = await createIntent(service, merchant)
    const { outbox } = await storedIntent(service, referenceNumber)
    await service.deps.Intent.deleteOne({ referenceNumber })
    return outbox.map((event) => ({ ...event, createdAt }))
  }
  const attemptAll = async () => {
    const found = await pollDeliveries(service.deps)
    await service.deps.backgroundWork.ended()
    return found
  }

  describe('for outboxes', () => {
    it('relays events of intents and orders without a wake-up job, once they are old enough', async () => {
      await createIntent(service, merchant)
      await storeOrder(service, merchant)
      expect(await pollOutboxes(service.deps)).to.equal(0)
      service.clock.advance(2_000)
      expect(await pollOutboxes(service.deps)).to.equal(2)
      expect(await outboxEvents(service, merchant)).to.deep.equal([])
      expect(await deliveriesOf(service, merchant)).to.have.length(1)
      expect(await pollOutboxes(service.deps)).to.equal(0)
    })

    it("relays one business's event ahead of another's many older events", async () => {
      const crowd = await service.merchant()
      await manyIntents(120, { outbox: await oldOutbox(ago(60_000)) }, crowd)
      await createIntent(service, merchant)
      service.clock.advance(2_000)
      service.deps.slots.open()
      expect(await pollOutboxes(service.deps, 100)).to.be.within(101, 110)
      await allDelivered(service, merchant, 1)
      expect(await outboxEvents(service, crowd)).to.have.length(20)
    })

    it("relays all other events even if a hundred events can't be relayed", async () => {
      const neighbour = await service.merchant()
      await subscribe(service, neighbour, endpointServer.url)
      await manyIntents(100, { outbox: await oldOutbox(ago(60_000)) })
      await createIntent(service, neighbour)
      await storeOrder(service, neighbour)
      service.clock.advance(2_000)
      service.deps.slots.open()
      const { insertDelivery } = service.deps.batchers
      const failing = withBatchers(service.deps, {
        insertDelivery: (delivery, deadlineAt) =>
          delivery.businessId === merchant.businessId
            ? Promise.reject(new Error('cannot be inserted'))
            : insertDelivery(delivery, deadlineAt),
      })
      const fault = await pollOutboxes(failing).catch((error: Error) => error.message)
      expect(fault).to.equal('cannot be inserted')
      expect(await outboxEvents(service, neighbour)).to.deep.equal([])
      expect(await outboxEvents(service, merchant)).to.have.length(100)
      await service.deps.backgroundWork.ended()
      expect(service.deps.slots.inFlight()).to.equal(0)
    })
  })

  describe('for deliveries', () => {
    it('attempts only deliveries that are due', async () => {
      endpointServer.respondWith((res) => void res.writeHead(500).end())
      const delivery = await freshDelivery(service, merchant)
      service.deps.slots.open()
      service.clock.advance(1_000)
      expect(await attemptAll()).to.equal(1)
      expect(await storedDelivery(service, delivery)).to.include({ status: 'RETRYING', attempts: 1 })
      service.clock.advance(29_000)
      expect(await attemptAll()).to.equal(0)
      service.clock.advance(2_000)
      expect(await attemptAll()).to.equal(1)
      expect((await storedDelivery(service, delivery)).attempts).to.equal(2)
      const nextAttemptAt = new Date(service.clock.now().getTime() + 10_000)
      const leaseToken = 'of a dead process'
      await service.deps.Delivery.updateOne({ _id: delivery._id }, { $set: { nextAttemptAt, leaseToken } })
      expect(await attemptAll()).to.equal(0)
      service.clock.advance(10_500)
      expect(await attemptAll()).to.equal(1)
      expect((await storedDelivery(service, delivery)).attempts).to.equal(3)
    })

    it("attempts one business's delivery ahead of another's hundreds of older deliveries", async () => {
      const [neighbour, hanging] = [await service.merchant(), await startEndpointServer()]
      const requests = holdRequests(hanging)
      const like = await freshDelivery(service, merchant)
      const added = await Promise.all([1, 2, 3, 4].map(() => subscribe(service, merchant, hanging.url)))
      const ids = added.map(({ id }) => id)
      for (const id of ids) await recordRecentSuccess(service, id)
      const { url } = hanging
      const many = Array.from({ length: 550 }, (_, index): Delivery => {
        const endpoint = ids[index % ids.length] ?? ''
        const nextAttemptAt = ago(60_000 - index)
        return { ...like, _id: makeDeliveryId(newId(), endpoint), endpointId: endpoint, url, nextAttemptAt }
      })
      await service.deps.Delivery.collection.insertMany(many as never[])
      await subscribe(service, neighbour, endpointServer.url)
      await freshDelivery(service, neighbour)
      service.clock.advance(1_000)
      service.deps.slots.open()
      expect(await pollDeliveries(service.deps)).to.be.within(500, 520)
      await allDelivered(service, neighbour, 1)
      // All of the business's endpoints share one origin.
      expect(service.deps.slots.inFlight()).to.be.within(98, 100)
      service.deps.slots.close()
      requests.release()
      await service.deps.backgroundWork.ended()
      await hanging.close()
    })
  })

  it("expires one business's intent ahead of another's many intents that were due earlier", async () => {
    const neighbour = await service.merchant()
    const earlier = ago(60_000)
    await manyIntents(120, { expiresAt: earlier, cancelsAt: earlier, outbox: [] })
    const { referenceNumber } = await createIntent(service, neighbour)
    const due = ago(30_000)
    await service.deps.Intent.updateOne(
      { referenceNumber },
      { $set: { expiresAt: due, cancelsAt: due, outbox: [] } },
    )
    expect(await expireDueIntents(service.deps, 100)).to.be.within(101, 110)
    expect((await storedIntent(service, referenceNumber)).status).to.equal('CANCELLED')
    expect(await service.deps.Intent.countDocuments({ status: 'PENDING' })).to.equal(20)
  })

  it('does all other work while one kind of work fails or hangs', async () => {
    const delivery = await freshDelivery(service, merchant)
    const { _id, status, attempts, requeues, nextAttemptAt, leaseToken } = delivery
    const state = { _id, status, attempts, requeues, nextAttemptAt, leaseToken, cancelledAt: null }
    const plan = { _id: newId(), at: ago(60_000), deliveries: [state], result: null }
    await service.deps.RequeuePlan.create(plan)
    const faults: unknown[] = []
    const warn = ({ work }: { work: string }) => void faults.push(work)
    const config = { ...service.deps.config, workerQueues: ['maintenance', 'retention'] as const }
    const deps = { ...service.deps, config, log: { ...service.deps.log, warn } } as unknown as Deps
    const gate = createGate()
    const every = { queue: 'maintenance', everyMs: 1_000 } as const
    const hanging = { ...every, name: 'hanging', run: () => gate.passed.then(() => 0) }
    const broken = { ...every, name: 'broken', run: () => expect.fail('broken') }
    const loops = startPollLoops(deps, [hanging, broken, ...polledWorks])
    const open = () => service.deps.RequeuePlan.countDocuments({ 'deliveries._id': delivery._id })
    await waitFor('the plan is carried out', async () => (await open()) === 0)
    expect(await storedDelivery(service, delivery)).to.include({ status: 'RETRYING', requeues: 1 })
    expect(faults).to.include('broken')
    gate.open()
    await loops.stop()
  })

  it('reads only through indexes', async () => {
    const expired = await freshDelivery(service, merchant)
    const past = { expiresAt: ago(0), cancelsAt: ago(0) }
    await service.deps.Intent.updateOne({ referenceNumber: expired.referenceNumber }, { $set: past })
    const { referenceNumber } = await createIntent(service, merchant)
    const queryAt = service.clock.now()
    const held = {
      hold: { id: newId(), queryAt },
      cancelsAt: neverCancelsAt,
      refunds: [{ id: newId(), queryAt }],
    }
    await service.deps.Intent.updateOne({ referenceNumber }, { $set: held })
    await storeOrder(service, merchant)
    service.clock.advance(5_000)
    service.deps.slots.open()
    const polled: string[] = []
    const recording: Deps = {
      ...service.deps,
      log: {
        ...service.deps.log,
        info: (fields: { work: string }, line: string) =>
          void (line === 'poll.found' && polled.push(fields.work)),
      } as never,
    }
    const done = await profiled(service, async () => {
      const polling = startPollLoops(recording, polledWorks)
      await waitFor('each kind was found', () => new Set(polled).size >= 4)
      await polling.stop()
      await service.deps.backgroundWork.ended()
    })
    const plans = done
      .filter(({ ns }) => /\.(intents|orders|deliveries|webhookendpoints)$/.test(ns))
      .filter(({ command: { find, sort, hint } }) => find !== undefined && (sort ?? hint) !== undefined)
      // The relay reads the active endpoints of businesses with events.
      .filter(({ command }) => command['hint'] !== 'slotInUse')
      .map(({ command, planSummary }) => `${String(command['find'])} ${String(planSummary)}`)
    expect([...new Set(plans)]).to.have.members([
      'intents IXSCAN { outbox.createdAt: 1, businessId: 1, _id: 1 }',
      'orders IXSCAN { outbox.createdAt: 1, businessId: 1, _id: 1 }',
      'webhookendpoints IXSCAN { outbox.createdAt: 1, businessId: 1, _id: 1 }',
      'webhookendpoints IXSCAN { reportedFailure.since: 1, health.failingSince: 1 }',
      'webhookendpoints IXSCAN { reportedFailure.recoveredAt: 1, active: 1 }',
      'deliveries IXSCAN { nextAttemptAt: 1, businessId: 1, endpointId: 1, _id: 1 }',
      'intents IXSCAN { cancelsAt: 1, businessId: 1 }',
      'intents IXSCAN { hold.queryAt: 1, businessId: 1 }',
      'intents IXSCAN { refunds.queryAt: 1, businessId: 1 }',
    ])
  })

  it('looks for work only in the queues that its own process serves', async () => {
    await createIntent(service, merchant)
    service.clock.advance(dayMs)
    const found: string[] = []
    const info = (fields: { work: string }) => void found.push(fields.work)
    const config = { ...service.deps.config, workerQueues: ['outbox-relay' as const] }
    const polling = startPollLoops(
      { ...service.deps, config, log: { ...service.deps.log, info } as never },
      polledWorks,
    )
    await waitFor('the event is relayed', async () => (await deliveriesOf(service, merchant)).length === 1)
    await polling.stop()
    expect(new Set(found)).to.deep.equal(new Set(['outbox-relay']))
  })
})
