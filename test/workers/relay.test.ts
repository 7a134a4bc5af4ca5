import { isUnavailable, unavailable } from '../../src/platform/errors.ts'
import { newId } from '../../src/platform/ids.ts'
import { breaks, excuse } from '../invariants/expect-invariants.ts'
import {
  cancelIntent,
  createIntent,
  deliveriesOf,
  outboxEvents,
  recordFailures,
  recordRecentSuccess,
  relay,
  subscribe,
} from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { fullMetadata } from '../support/large-intents.ts'
import { storeOrder } from '../support/orders.ts'
import { simulate, storedIntent } from '../support/pay.ts'
import { withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'
import { beforeInsert, createIntents, holdRequests, withBatchers } from './set-up.ts'

describe('The relay', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const endpointServer = withEndpointServer()

  it('inserts one delivery per active subscribed endpoint, and empties the outbox', async () => {
    const wanting = await subscribe(service, merchant, endpointServer.url)
    const second = await subscribe(service, merchant, endpointServer.url, ['payment.created'])
    await subscribe(service, merchant, endpointServer.url, ['payment.cancelled'])
    const inactive = await subscribe(service, merchant, endpointServer.url)
    await service.deps.Endpoint.updateOne({ _id: inactive.id }, { $set: { active: false } })
    await subscribe(service, await service.merchant(), endpointServer.url)
    await createIntent(service, merchant)
    expect(await outboxEvents(service, merchant)).to.deep.equal(['payment.created'])
    expect(await relay(service, merchant)).to.deep.equal({ events: 1, deliveries: 2 })
    const made = await deliveriesOf(service, merchant)
    expect(made.map(({ endpointId }) => endpointId)).to.have.members([wanting.id, second.id])
    expect(made.map(({ status, attempts }) => `${status} ${attempts}`)).to.deep.equal(
      Array(2).fill('PENDING 0'),
    )
    expect(await outboxEvents(service, merchant)).to.deep.equal([])
  })

  it("leaves a business's events in the outbox while that business is using all its slots", async () => {
    const other = await service.merchant()
    await Promise.all([
      subscribe(service, merchant, endpointServer.url),
      subscribe(service, other, endpointServer.url),
    ])
    const take = () => service.deps.capacity.takeNow([merchant.businessId], { relays: 1 })
    const taken = []
    for (let slot = take(); slot !== null; slot = take()) taken.push(slot)
    await Promise.all([createIntent(service, merchant), createIntent(service, other)])
    expect(await relay(service, merchant)).to.deep.equal({ events: 0, deliveries: 0 })
    expect(await relay(service, other)).to.deep.equal({ events: 1, deliveries: 1 })
    expect(await outboxEvents(service, merchant)).to.deep.equal(['payment.created'])
    for (const slot of taken) slot.free()
    expect(await relay(service, merchant)).to.deep.equal({ events: 1, deliveries: 1 })
  })

  it('inserts a delivery for an event in an unknown format but leaves its attempts to newer processes', async () => {
    await recordRecentSuccess(service, (await subscribe(service, merchant, endpointServer.url)).id)
    const { referenceNumber } = await createIntent(service, merchant)
    await cancelIntent(service, merchant, referenceNumber)
    await service.deps.Intent.collection.updateOne({ referenceNumber }, { $set: { 'outbox.1.format': 99 } })
    service.deps.slots.open()
    expect(await relay(service, merchant)).to.deep.equal({ events: 2, deliveries: 2 })
    await service.deps.backgroundWork.ended()
    expect(service.deps.slots.inFlight()).to.equal(0)
    service.deps.slots.close()
    const made = await deliveriesOf(service, merchant)
    const states = made.map(({ status, attempts }) => `${status} ${attempts}`)
    expect(states).to.deep.equal(['DELIVERED 1', 'PENDING 0'])
    expect(endpointServer.received.splice(0)).to.have.length(1)
  })

  it('reads at most ten events of an outbox at a time', async () => {
    const [created] = await createIntents(service, merchant, 60)
    const first = created?.referenceNumber ?? ''
    breaks(service, 'events once', first)
    const { _id, outbox } = await service.deps.Intent.findOne({ referenceNumber: first }).orFail().lean()
    const many = Array.from({ length: 25 }, () => ({ ...outbox[0], id: newId() }))
    await service.deps.Intent.collection.updateOne({ referenceNumber: first }, { $set: { outbox: many } })
    const read: [boolean, number][] = []
    const { findIntentOutbox } = service.deps.batchers
    const watched = withBatchers(service.deps, {
      async findIntentOutbox(id, deadlineAt) {
        const found = await findIntentOutbox(id, deadlineAt)
        read.push([id === _id, found?.outbox.length ?? 0])
        return found
      },
    })
    expect(await relay(service, merchant, watched)).to.deep.equal({ events: 84, deliveries: 0 })
    expect(read.filter(([isFirst]) => isFirst).map(([, events]) => events)).to.deep.equal([10, 10, 5])
    expect(read.slice(-2).flat()).to.deep.equal([true, 10, true, 5])
  })

  it('composes a body only once a slot is free, so that waiting events take little memory', async () => {
    await recordFailures(service, (await subscribe(service, merchant, endpointServer.url)).id)
    const { referenceNumber } = await createIntent(service, merchant, { amount: 1, metadata: fullMetadata })
    const { outbox } = await service.deps.Intent.findOne({ referenceNumber }).orFail().lean()
    breaks(service, 'events once', referenceNumber)
    const many = Array.from({ length: 50 }, () => ({ ...outbox[0], id: newId() }))
    await service.deps.Intent.collection.updateOne({ referenceNumber }, { $set: { outbox: many } })
    let composed = 0
    const { findBodySource } = service.deps.batchers
    const counting = withBatchers(service.deps, {
      findBodySource(...reference) {
        composed += 1
        return findBodySource(...reference)
      },
    })
    const requests = holdRequests(endpointServer)
    service.deps.slots.open()
    expect(await relay(service, merchant, counting)).to.deep.equal({ events: 50, deliveries: 50 })
    await endpointServer.atLeast(2)
    // A failing endpoint has two slots.
    expect(composed).to.equal(2)
    requests.release()
    await service.deps.backgroundWork.ended()
    service.deps.slots.close()
    endpointServer.received.splice(0)
  })

  for (const batcher of ['appendEvents', 'bookEntries'] as const)
    it(`leaves a payment's event in the outbox until ${batcher} succeeds`, async () => {
      const { referenceNumber } = await createIntent(service, merchant, { amount: 10_000 })
      await simulate(service, merchant, referenceNumber)
      const failing = withBatchers(service.deps, { [batcher]: () => Promise.reject(unavailable()) })
      const outcome = await relay(service, merchant, failing).catch((error: unknown) => error)
      expect(isUnavailable(outcome)).to.equal(true)
      await relay(service, merchant)
      const get = async (path: string) =>
        (await service.http.get(`/api/v1/dev/${path}`).set(merchant.read())).body.data
      expect(await get('balance')).to.include({ amount: 9_800 })
      const events = (await get('events/feed')).items as { type: string }[]
      expect(events.map(({ type }) => type)).to.deep.equal(['payment.created', 'payment.confirmed'])
    })

  it("gives up on an insert that isn't sent within a minute", async () => {
    await subscribe(service, merchant, endpointServer.url)
    await createIntent(service, merchant)
    const waits: number[] = []
    const insertDelivery = async (_delivery: unknown, deadlineAt: number) => {
      waits.push(deadlineAt - performance.now())
      throw unavailable()
    }
    const full = withBatchers(service.deps, { insertDelivery })
    const outcome = await relay(service, merchant, full).catch((error: unknown) => error)
    expect(isUnavailable(outcome)).to.equal(true)
    expect(waits[0]).to.be.within(50_000, 60_000)
    const later = new Date(Date.now() + 60_000)
    service.clock.freeze(later)
    expect(await relay(service, merchant)).to.deep.equal({ events: 1, deliveries: 1 })
    service.clock.freeze(null)
    expect((await deliveriesOf(service, merchant))[0]?.createdAt).to.deep.equal(later)
  })

  it('relays each event of orders and intents once', async () => {
    await subscribe(service, merchant, endpointServer.url, ['payment.created', 'order.new'])
    const { referenceNumber } = await createIntent(service, merchant)
    const order = await storeOrder(service, merchant)
    expect(await outboxEvents(service, merchant)).to.deep.equal(['payment.created', 'order.new'])
    expect(await relay(service, merchant)).to.deep.equal({ events: 2, deliveries: 2 })
    const made = await deliveriesOf(service, merchant)
    const relayed = made.map((delivery) => `${delivery.event} ${delivery.referenceNumber}`)
    expect(relayed).to.deep.equal([`payment.created ${referenceNumber}`, `order.new ${order.number}`])
    expect(await outboxEvents(service, merchant)).to.deep.equal([])
    // As if the process had died after inserting the delivery and before emptying the outbox.
    await service.deps.Order.updateOne({ _id: order._id }, { $set: { outbox: order.outbox } })
    expect(await relay(service, merchant)).to.deep.equal({ events: 1, deliveries: 0 })
    expect(await deliveriesOf(service, merchant)).to.deep.equal(made)
  })

  it('leaves an event for the next run if it is added during a run', async () => {
    await subscribe(service, merchant, endpointServer.url)
    const { referenceNumber } = await createIntent(service, merchant)
    const cancelledMeanwhile = beforeInsert(service.deps, async () =>
      expect((await cancelIntent(service, merchant, referenceNumber)).status).to.equal(200),
    )
    await relay(service, merchant, cancelledMeanwhile)
    expect(await outboxEvents(service, merchant)).to.deep.equal(['payment.cancelled'])
    await relay(service, merchant)
    const made = await deliveriesOf(service, merchant)
    expect(made.map(({ event }) => event)).to.deep.equal(['payment.created', 'payment.cancelled'])
    expect(await outboxEvents(service, merchant)).to.deep.equal([])
  })

  it('sends live events only to live endpoints, and sandbox events to all', async () => {
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    const { id: ofLive } = await subscribe(service, live, endpointServer.url)
    const { id: ofTest } = await subscribe(service, merchant, endpointServer.url)
    for (const as of [merchant, live]) await createIntent(service, as)
    await relay(service, merchant)
    const made = (await deliveriesOf(service, merchant)).map(({ endpointId, sandbox }) => [
      endpointId,
      sandbox,
    ])
    expect(made).to.have.deep.members([
      [ofLive, true],
      [ofTest, true],
      [ofLive, false],
    ])
  })

  it("has to empty an intent's outbox of 1,000 events before that intent can be paid", async () => {
    const { referenceNumber, shortCode } = await createIntent(service, merchant)
    excuse([referenceNumber], 'events once')
    const [event] = (await storedIntent(service, referenceNumber)).outbox
    const filled = Array.from({ length: 999 }, () => ({ ...event, id: newId() }))
    await service.deps.Intent.collection.updateOne({ referenceNumber }, {
      $push: { outbox: { $each: filled } },
    } as never)
    const state = async () => (await service.http.get(`/p/${shortCode}/status`)).body.state
    const refused = await simulate(service, merchant, referenceNumber)
    expect([refused.status, refused.body.error.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE'])
    expect(await state()).to.equal('unavailable')
    await relay(service, merchant)
    expect(await outboxEvents(service, merchant)).to.deep.equal([])
    expect(await state()).to.equal('pending')
    expect((await simulate(service, merchant, referenceNumber)).status).to.equal(200)
  })
})
