import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { isUnavailable, unavailable } from '../../src/errors.ts'
import { newId } from '../../src/ids.ts'
import { relayOutboxes } from '../../src/webhooks/relay.ts'
import {
  attempt,
  cancelIntent,
  createIntent,
  deliveriesOf,
  openBeside,
  relay,
  storedBodies,
  storedBody,
  subscribe,
  trustEndpoint,
  waitingEvents,
} from '../support/acts.ts'
import { asMerchant, type House, type Merchant, openHouse } from '../support/house.ts'
import { storeOrder } from '../support/orders.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

describe('the relay', () => {
  let house: House
  let beside: House
  let receiver: Receiver
  let merchant: Merchant
  before(async () => {
    house = await openHouse()
    ;[beside, receiver] = await Promise.all([openBeside(house), startReceiver()])
  })
  beforeEach(async () => {
    merchant = await house.merchant()
  })
  after(() => Promise.all([receiver.close(), beside.close()]).then(() => house.close()))

  it('inserts one delivery for each subscribed active endpoint and empties the outbox', async () => {
    const wanting = await subscribe(house, merchant, receiver.url)
    const second = await subscribe(house, merchant, receiver.url, ['payment.created'])
    await subscribe(house, merchant, receiver.url, ['payment.cancelled'])
    const inactive = await subscribe(house, merchant, receiver.url)
    await house.deps.Endpoint.updateOne({ _id: inactive.id }, { $set: { active: false } })
    await subscribe(house, await house.merchant(), receiver.url)
    await createIntent(house, merchant)
    expect(await waitingEvents(house, merchant)).to.deep.equal(['payment.created'])

    expect(await relay(house, merchant)).to.deep.equal({ events: 1, deliveries: 2 })
    const made = await deliveriesOf(house, merchant)
    expect(made.map(({ endpointId }) => endpointId)).to.have.members([wanting.id, second.id])
    expect(made.map(({ status, attempts }) => [status, attempts])).to.deep.equal([
      ['PENDING', 0],
      ['PENDING', 0],
    ])
    expect(await waitingEvents(house, merchant)).to.deep.equal([])
  })

  it('leaves events in the outbox while their business has all its slots, and relays those of others', async () => {
    const other = await house.merchant()
    await Promise.all([subscribe(house, merchant, receiver.url), subscribe(house, other, receiver.url)])
    const taken: (() => void)[] = []
    for (;;) {
      const free = house.deps.relaySlots.tryTake(merchant.businessId)
      if (free === null) break
      taken.push(free)
    }
    await Promise.all([createIntent(house, merchant), createIntent(house, other)])
    expect(await relay(house, merchant)).to.deep.equal({ events: 0, deliveries: 0 })
    expect(await relay(house, other)).to.deep.equal({ events: 1, deliveries: 1 })
    expect(await waitingEvents(house, merchant)).to.deep.equal(['payment.created'])
    for (const free of taken) free()
    expect(await relay(house, merchant)).to.deep.equal({ events: 1, deliveries: 1 })
  })

  it('relays the events that it can compose, and frees every slot, if it cannot compose another', async () => {
    const { id: endpointId } = await subscribe(house, merchant, receiver.url)
    await trustEndpoint(house, endpointId)
    const { referenceNumber } = await createIntent(house, merchant)
    await cancelIntent(house, merchant, referenceNumber)
    const outbox = (await house.deps.Intent.findOne({ referenceNumber }).lean())?.outbox ?? []
    const setFormat = (format: number) =>
      house.deps.Intent.collection.updateOne({ referenceNumber }, { $set: { 'outbox.1.format': format } })
    await setFormat(99)
    house.deps.slots.open()
    expect(await relay(house, merchant).catch((error: unknown) => error)).to.be.an('error')
    await house.deps.underWay.ended()
    expect(receiver.received).to.have.length(1)
    expect(house.deps.slots.inFlight()).to.equal(0)
    await setFormat(outbox[1]?.format ?? 0)
    expect(await relay(house, merchant)).to.deep.equal({ events: 2, deliveries: 2 })
    await house.deps.underWay.ended()
    house.deps.slots.close()
    expect(receiver.received.splice(0)).to.have.length(2)
  })

  it('composes no body without a slot, so 1 000 large events of one intent take little memory', async () => {
    for (const _each of [1, 2, 3, 4, 5]) await subscribe(house, merchant, receiver.url)
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, key) => [`key ${key}`, '💰'.repeat(500)]),
    )
    const { referenceNumber } = await createIntent(house, merchant, { amount: 1, metadata })
    const { outbox } = await house.deps.Intent.findOne({ referenceNumber }).orFail().lean()
    const many = Array.from({ length: 1_000 }, () => ({ ...outbox[0], id: newId() }))
    await house.deps.Intent.collection.updateOne({ referenceNumber }, { $set: { outbox: many } })
    let most = 0
    const { lanes } = house.deps
    const measured = {
      ...house.deps,
      lanes: {
        ...lanes,
        insertDelivery(...item: Parameters<typeof lanes.insertDelivery>) {
          most = Math.max(most, process.memoryUsage().heapUsed)
          return lanes.insertDelivery(...item)
        },
      },
    }
    const held: ServerResponse[] = []
    receiver.respondWith((res) => void held.push(res))
    house.deps.slots.open()
    const before = process.memoryUsage().heapUsed
    expect(await relay(house, merchant, measured)).to.deep.equal({ events: 1_000, deliveries: 5_000 })
    await receiver.atLeast(10)
    receiver.respondWith((res) => void res.end())
    for (const res of held) res.end()
    await house.deps.underWay.ended()
    house.deps.slots.close()
    receiver.received.splice(0)
    // The bodies of all events would take 100 MB.
    expect(most - before).to.be.below(50_000_000)
  })

  it('makes no second delivery if it runs again before the outbox was emptied', async () => {
    await subscribe(house, merchant, receiver.url)
    await createIntent(house, merchant)
    const { businessId } = merchant
    const outbox = (await house.deps.Intent.findOne({ businessId }).lean())?.outbox ?? []
    await relay(house, merchant)
    const before = await deliveriesOf(house, merchant)
    // As if the process had died between the deliveries and the emptying.
    await house.deps.Intent.updateOne({ businessId }, { $set: { outbox } })
    await relay(house, merchant)
    expect(await deliveriesOf(house, merchant)).to.deep.equal(before)
    expect(before).to.have.length(1)
    expect(await relay(house, merchant)).to.deep.equal({ events: 0, deliveries: 0 })
  })

  it('makes each delivery once when two processes relay the same events at once', async () => {
    await Promise.all([subscribe(house, merchant, receiver.url), subscribe(house, merchant, receiver.url)])
    await Promise.all(Array.from({ length: 20 }, () => createIntent(house, merchant)))
    await Promise.all([house, beside, house, beside].map((process) => relay(house, merchant, process.deps)))
    const made = await deliveriesOf(house, merchant)
    expect(made).to.have.length(40)
    const pairs = made.map(({ referenceNumber, endpointId }) => `${referenceNumber} ${endpointId}`)
    expect(new Set(pairs)).to.have.property('size', 40)
    expect(await waitingEvents(house, merchant)).to.deep.equal([])
  })

  it('empties the outbox of a merchant without an endpoint', async () => {
    await createIntent(house, merchant)
    expect(await relay(house, merchant)).to.deep.equal({ events: 1, deliveries: 0 })
    expect(await waitingEvents(house, merchant)).to.deep.equal([])
    expect(await deliveriesOf(house, merchant)).to.deep.equal([])
  })

  it('keeps only the events that cannot be stored, and relays the rest of the batch', async () => {
    const broken = await house.merchant()
    const [wrong] = await Promise.all([
      subscribe(house, broken, receiver.url),
      subscribe(house, merchant, receiver.url),
    ])
    await Promise.all(Array.from({ length: 3 }, () => createIntent(house, merchant)))
    const refused = await createIntent(house, merchant)
    await createIntent(house, broken)
    const { Intent, Endpoint, mongo } = house.deps
    const { businessId } = merchant
    // One has an invalid endpoint, and MongoDB refuses the delivery of another.
    const { events } = await Endpoint.findById(wrong.id).orFail().lean()
    await Endpoint.updateOne({ _id: wrong.id }, { $set: { events: null } })
    const validator = { referenceNumber: { $ne: refused.referenceNumber } }
    await mongo.db?.command({ collMod: 'deliveries', validator })
    const found = await Intent.find({ businessId: { $in: [businessId, broken.businessId] } }).lean()
    const batch = { intentIds: found.map(({ _id }) => _id), orderIds: [] }

    const outcome = await relayOutboxes(house.deps, batch).catch((error: unknown) => error)
    expect(outcome).to.be.an('error')
    const made = await deliveriesOf(house, merchant)
    expect(made).to.have.length(3)
    expect(await deliveriesOf(house, broken)).to.deep.equal([])
    const left = await Intent.find({ _id: { $in: batch.intentIds }, 'outbox.0': { $exists: true } }).lean()
    expect(left.map((intent) => intent.businessId)).to.have.members([businessId, broken.businessId])
    expect(left.map(({ referenceNumber }) => referenceNumber)).to.include(refused.referenceNumber)

    await mongo.db?.command({ collMod: 'deliveries', validator: {} })
    await Endpoint.updateOne({ _id: wrong.id }, { $set: { events } })
    expect(await relayOutboxes(house.deps, batch)).to.include({ events: 2, deliveries: 2 })
    expect([await waitingEvents(house, merchant), await waitingEvents(house, broken)]).to.deep.equal([[], []])
  })

  it('drops an insert that was not sent for a minute, and makes the delivery later with a new time', async () => {
    await subscribe(house, merchant, receiver.url)
    await createIntent(house, merchant)
    const waits: number[] = []
    const insertDelivery = async (_delivery: unknown, until: number) => {
      waits.push(until - performance.now())
      throw unavailable()
    }
    const full = { ...house.deps, lanes: { ...house.deps.lanes, insertDelivery } }
    const outcome = await relay(house, merchant, full).catch((error: unknown) => error)
    expect(isUnavailable(outcome)).to.equal(true)
    expect(waits[0]).to.be.within(50_000, 60_000)
    const later = new Date(Date.now() + 60_000)
    house.clock.freeze(later)
    expect(await relay(house, merchant)).to.deep.equal({ events: 1, deliveries: 1 })
    house.clock.freeze(null)
    expect((await deliveriesOf(house, merchant))[0]?.createdAt).to.deep.equal(later)
  })

  it('relays events of orders and intents together, each once, and none of an order that was given up', async () => {
    await subscribe(house, merchant, receiver.url, ['payment.created', 'order.new'])
    const { referenceNumber } = await createIntent(house, merchant)
    const order = await storeOrder(house, merchant)
    const { _id, businessId, sandbox, createdAt } = order
    const givenUp = { _id: newId(), businessId, sandbox, status: 'RELEASED', released: [], createdAt }
    await house.deps.Order.collection.insertOne(givenUp as never)
    expect(await waitingEvents(house, merchant)).to.deep.equal(['payment.created', 'order.new'])

    expect(await relay(house, merchant)).to.deep.equal({ events: 2, deliveries: 2 })
    const made = await deliveriesOf(house, merchant)
    expect(made.map((delivery) => [delivery.event, delivery.referenceNumber])).to.deep.equal([
      ['payment.created', referenceNumber],
      ['order.new', order.number],
    ])
    expect(JSON.parse(await storedBody(house, made[1]))).to.deep.equal({
      id: made[1]?._id,
      event: 'order.new',
      created_at: createdAt.toISOString(),
      sandbox: true,
      data: {
        _id,
        reference_number: order.number,
        number: order.number,
        status: 'PLACED',
        items: [],
        total: 0,
        currency: 'MRU',
        customer: null,
        created_at: createdAt.toISOString(),
      },
    })
    expect(await waitingEvents(house, merchant)).to.deep.equal([])
    // As if the process had died between the deliveries and the emptying.
    await house.deps.Order.updateOne({ _id }, { $set: { outbox: order.outbox } })
    expect(await relay(house, merchant)).to.deep.equal({ events: 1, deliveries: 1 })
    expect(await deliveriesOf(house, merchant)).to.deep.equal(made)
  })

  it('leaves an event that is added meanwhile to its next run', async () => {
    await subscribe(house, merchant, receiver.url)
    const { referenceNumber } = await createIntent(house, merchant)
    const { lanes } = house.deps
    const cancelledMeanwhile = {
      ...house.deps,
      lanes: {
        ...lanes,
        async insertDelivery(...item: Parameters<typeof lanes.insertDelivery>) {
          expect((await cancelIntent(house, merchant, referenceNumber)).status).to.equal(200)
          return lanes.insertDelivery(...item)
        },
      },
    }
    await relay(house, merchant, cancelledMeanwhile)
    expect(await waitingEvents(house, merchant)).to.deep.equal(['payment.cancelled'])
    await relay(house, merchant)
    const made = await deliveriesOf(house, merchant)
    expect(made.map(({ event }) => event)).to.deep.equal(['payment.created', 'payment.cancelled'])
    expect(await waitingEvents(house, merchant)).to.deep.equal([])
  })

  describe('gives each delivery the body of SPEC 6.2:', () => {
    const oddMetadata = '{"a.b":"1","$x":"2","__proto__":"3","constructor":"4","é 😀":"5","empty":""}'

    it('every field of the envelope and of its data, as of the event', async () => {
      const { id: endpointId } = await subscribe(house, merchant, receiver.url)
      const at = new Date('2030-01-02T03:04:05.678Z')
      house.clock.freeze(at)
      const intent = await createIntent(house, merchant, `{"amount":1250,"metadata":${oddMetadata}}`)
      house.clock.freeze(null)
      await relay(house, merchant)
      const [delivery] = await deliveriesOf(house, merchant)
      expect(delivery?._id).to.match(/^[\w-]{32}$/)
      expect(Buffer.from(delivery?._id ?? '', 'base64url').toString('hex', 12)).to.equal(endpointId)
      const body = JSON.parse(await storedBody(house, delivery))
      expect(JSON.stringify(body.data.metadata)).to.equal(oddMetadata)
      body.data.metadata = null
      expect(body).to.deep.equal({
        id: delivery?._id,
        event: 'payment.created',
        created_at: at.toISOString(),
        sandbox: true,
        data: {
          reference_number: intent.referenceNumber,
          short_code: intent.shortCode,
          amount: 1250,
          currency: 'MRU',
          status: 'PENDING',
          paid_at: null,
          payer_phone: null,
          metadata: null,
          commission: { provider_ttc: 0, payer_ttc: 0, tof: 0, tte: 0, total_revenue: 0 },
        },
      })
    })

    it('the state at the event, whatever the intent has become by the time it is relayed', async () => {
      await subscribe(house, merchant, receiver.url)
      const { referenceNumber, createdAt } = await createIntent(house, merchant)
      house.clock.advance(60_000)
      const cancelled = await cancelIntent(house, merchant, referenceNumber)
      await relay(house, merchant)
      const bodies = await storedBodies(house, await deliveriesOf(house, merchant))
      expect(bodies.map((body) => [body.event, body.created_at, body.data.status])).to.deep.equal([
        ['payment.created', createdAt, 'PENDING'],
        ['payment.cancelled', cancelled.body.data.updatedAt, 'CANCELLED'],
      ])
    })

    it('amount null for an OPEN intent that nobody paid', async () => {
      await subscribe(house, merchant, receiver.url)
      await createIntent(house, merchant, { amount: 900, amountType: 'OPEN' })
      await relay(house, merchant)
      const [delivery] = await deliveriesOf(house, merchant)
      expect(JSON.parse(await storedBody(house, delivery)).data.amount).to.equal(null)
    })

    it('sandbox false for a live key, to the same endpoint', async () => {
      await subscribe(house, merchant, receiver.url)
      const live = await liveMerchant(house, merchant)
      await createIntent(house, live)
      await createIntent(house, merchant)
      await relay(house, merchant)
      const bodies = await storedBodies(house, await deliveriesOf(house, merchant))
      expect(bodies.map((body) => body.sandbox)).to.have.members([false, true])
    })

    it('sent to the endpoint byte for byte', async () => {
      await subscribe(house, merchant, receiver.url)
      await createIntent(house, merchant, `{"amount":1,"metadata":${oddMetadata}}`)
      await relay(house, merchant)
      const [delivery] = await deliveriesOf(house, merchant)
      await attempt(house.deps, delivery?._id ?? '')
      expect(receiver.received.map(({ body }) => body)).to.deep.equal([await storedBody(house, delivery)])
    })
  })
})

async function liveMerchant(house: House, { businessId }: Merchant): Promise<Merchant> {
  return asMerchant(businessId, await house.key(businessId, { mode: 'live' }))
}
