import { expect } from 'chai'
import { collections } from '../../src/collections.ts'
import { newId } from '../../src/ids.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { createPace } from '../../src/retention/pace.ts'
import { runCleanUp } from '../../src/retention/run.ts'
import { startTally } from '../../src/retention/tally.ts'
import { signedIn } from '../admin/staff.ts'
import { attempt, createIntent, deliveriesOf, relay, stored } from '../support/acts.ts'
import { makeEverything, makeOlder, openPair, type Pair, testsLeft } from '../support/everything.ts'
import { type House, openHouse } from '../support/house.ts'
import { newRefund, storedIntent } from '../support/pay.ts'
import { profiled } from '../support/profiled.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

const dayMs = 86_400_000
const nothing = { intents: 0, deliveries: 0, orders: 0, products: 0 }
/** Not a merchant's, or a test's by nature. */
const passing = ['retention', 'walletmovements', 'deliveryhours']
const unwatched = { count: () => undefined, done: () => undefined }

describe('the clean-up', () => {
  let house: House
  let receiver: Receiver
  let pair: Pair
  before(async () => {
    ;[house, receiver] = await Promise.all([openHouse(), startReceiver()])
  })
  beforeEach(async () => {
    receiver.respondWith((res) => void res.end('thank you'))
    pair = await openPair(house, receiver)
  })
  afterEach(() => house.clock.freeze(null))
  after(() => house.close().then(() => receiver.close()))

  async function clean(deps = house.deps) {
    const { tally, watch } = startTally(unwatched)
    const outcome = await runCleanUp(deps, new AbortController().signal, watch)
    return { outcome, ...tally }
  }

  it('takes what test keys made a moment more than 30 days ago, and nothing that is younger', async () => {
    const madeAt = house.clock.now()
    house.clock.freeze(madeAt)
    await makeEverything(house, pair.test, true)
    const all = { intents: 2, deliveries: 6, orders: 1, products: 2 }
    expect(await testsLeft(house, pair.test)).to.deep.equal(all)
    for (const ageMs of [30 * dayMs - 60_000, 30 * dayMs]) {
      house.clock.freeze(new Date(madeAt.getTime() + ageMs))
      await clean()
      expect(await testsLeft(house, pair.test), `${ageMs} ms old`).to.deep.equal(all)
    }
    house.clock.advance(1)
    const { outcome, intents, deliveries, orders, products, movements } = await clean()
    expect({ intents, deliveries, orders, products }).to.deep.equal(all)
    expect([outcome, movements]).to.deep.equal(['cleaned', 2])
    expect(await testsLeft(house, pair.test)).to.deep.equal(nothing)
  })

  /**
   * Every document but those of test keys, as text by collection and id, without what the clean-up may take of a live one, and without what
   * attempts have noted of receivers, which comes late.
   */
  async function books(): Promise<Map<string, string>> {
    const texts = new Map<string, string>()
    for (const { name } of collections.filter((each) => !passing.includes(each.name))) {
      const docs = await house.deps.mongo.collection(name).find().toArray()
      for (const { answer: _answer, attemptLog: _log, health: _health, ...kept } of docs)
        if (kept.sandbox !== true) texts.set(`${name} ${String(kept._id)}`, JSON.stringify(kept))
    }
    return texts
  }

  it('never takes or changes a live document, but for attempts and answers, and leaves balances as they are', async () => {
    await makeEverything(house, pair.test, true)
    await makeEverything(house, pair.live, false)
    await makeOlder(house, pair.test, 400 * dayMs)
    const before = await books()
    const kinds = new Set([...before.keys()].map((key) => key.split(' ')[0]))
    expect([...kinds]).to.include.members(['intents', 'deliveries', 'orders', 'products', 'shops', 'wallets'])
    expect(await clean()).to.include({ outcome: 'cleaned', intents: 2, orders: 1, products: 2, movements: 2 })
    expect(await books()).to.deep.equal(before)
    expect(await testsLeft(house, pair.test)).to.deep.equal(nothing)
    expect(await clean()).to.include({ intents: 0, deliveries: 0, attempts: 0, answers: 0 })
  })

  it('takes an intent together with what a refund weeks later told of it', async () => {
    const [paid = ''] = await makeEverything(house, pair.test, true)
    await makeOlder(house, pair.test, 31 * dayMs)
    const late = { referenceNumber: paid, event: 'payment.refunded' }
    await house.deps.Delivery.updateOne(late, { $set: { createdAt: house.clock.now() } })
    expect(await clean()).to.include({ intents: 2, deliveries: 6 })
    expect(await testsLeft(house, pair.test)).to.deep.equal(nothing)
  })

  it('leaves what has not come to its end, however old it is, and takes it once it has', async () => {
    const { Intent, Order, Product, Delivery } = house.deps
    const held: [what: string, change: object, undo: object][] = [
      [
        'its event is not told',
        {
          $push: {
            outbox: { id: newId(), event: 'payment.created', data: '{}', createdAt: house.clock.now() },
          },
        },
        { $set: { outbox: [] } },
      ],
      ['a payment is under way', { $set: { underWay: { id: newId() } } }, { $set: { underWay: null } }],
      ['a refund is under way', { $push: { refunds: newRefund(house.deps, 1) } }, { $set: { refunds: [] } }],
      ['nobody has expired it', { $set: { status: 'PENDING' } }, { $set: { status: 'CANCELLED' } }],
    ]
    const intents = await Promise.all(held.map(() => createIntent(house, pair.test)))
    const references = intents.map(({ referenceNumber }) => referenceNumber)
    await relay(house, pair.test)
    await Intent.updateMany({ businessId: pair.test.businessId }, { $set: { status: 'CANCELLED' } })
    const [, cancelled = '', number = ''] = await makeEverything(house, pair.test, true)
    await Promise.all(
      held.map(([, change], index) => Intent.updateOne({ referenceNumber: references[index] ?? '' }, change)),
    )
    await makeOlder(house, pair.test, 400 * dayMs)
    const ofCancelled = { referenceNumber: cancelled, event: 'payment.cancelled' }
    await Delivery.updateOne(ofCancelled, { $set: { nextAttemptAt: house.clock.now(), status: 'RETRYING' } })
    const order = await Order.findOne({ number, status: 'PLACED' }).orFail()
    const [product, other] = await Product.find({ businessId: pair.test.businessId, listed: true })
    expect(other).to.equal(undefined)
    const reservation = { order: order._id, tryId: newId(), at: house.clock.now(), items: [] }
    await Product.updateOne({ _id: product?._id ?? '' }, { $set: { reservations: [reservation] } })

    await clean()
    const left = await Intent.find({ businessId: pair.test.businessId }, { referenceNumber: 1 }).lean()
    expect(left.map(({ referenceNumber }) => referenceNumber)).to.have.members([...references, cancelled])
    expect(await testsLeft(house, pair.test)).to.deep.equal({
      intents: 5,
      deliveries: 1,
      orders: 1,
      products: 1,
    })

    await Promise.all(
      held.map(([, , undo], index) => Intent.updateOne({ referenceNumber: references[index] ?? '' }, undo)),
    )
    await Delivery.updateOne(ofCancelled, { $set: { nextAttemptAt: null, status: 'CANCELLED' } })
    await Product.updateOne(
      { _id: product?._id ?? '' },
      { $set: { reservations: [], prepared: { by: 'a plan' } } },
    )
    await clean()
    expect(await testsLeft(house, pair.test)).to.deep.equal({ ...nothing, products: 1 })
    await Product.updateOne({ _id: product?._id ?? '' }, { $set: { prepared: null } })
    await clean()
    expect(await testsLeft(house, pair.test)).to.deep.equal(nothing)
  })

  it('leaves of the attempts of old live deliveries the last one, without its answer; one can be sent again', async () => {
    receiver.respondWith((res) => void res.writeHead(500).end('not today'))
    await createIntent(house, pair.live)
    await relay(house, pair.live)
    const [fresh] = await deliveriesOf(house, pair.live)
    const _id = fresh?._id ?? expect.fail()
    await attempt(house.deps, _id)
    house.clock.advance(30_000)
    await attempt(house.deps, _id)
    const before = await stored(house, { _id })
    await makeOlder(house, pair.live, 91 * dayMs)
    await clean()
    expect(await stored(house, { _id }), 'it waits for an attempt').to.have.deep.property(
      'attemptLog',
      before.attemptLog,
    )

    const dead = { status: 'DEAD', nextAttemptAt: null, deadAt: house.clock.now() } as const
    await house.deps.Delivery.updateOne({ _id }, { $set: dead })
    expect(await clean()).to.include({ attempts: 1 })
    const path = `/api/v1/dev/webhooks/events/${_id}`
    const { body } = await house.http.get(path).set(pair.live.read())
    expect(body.data).to.include({ attempts: 2, lastResponseStatus: 500, lastError: 'status' })
    expect(body.data.attemptLog).to.have.length(1)
    expect(body.data.attemptLog[0]).to.deep.include({ responseStatus: 500, responseBody: null })
    const staff = await signedIn(house, 'viewer')
    const page = (await staff.get(`/admin/deliveries/${_id}`)).text
    expect(page)
      .to.include('What it answered is not kept any more')
      .and.include('Those before number 2 are not kept')

    const retried = await house.http.post(`${path}/retry`).set(pair.live.write())
    expect(retried.body.data.retried).to.equal(true)
    receiver.respondWith((res) => void res.end('at last'))
    expect(await attempt(house.deps, _id)).to.include({ outcome: 'delivered', attempts: 3 })
  })

  it('keeps attempts for ever where LIVE_DELIVERY_RETENTION_DAYS is 0', async () => {
    await createIntent(house, pair.live)
    await relay(house, pair.live)
    for (const { _id } of await deliveriesOf(house, pair.live)) await attempt(house.deps, _id)
    await makeOlder(house, pair.live, 4_000 * dayMs)
    const config = { ...house.deps.config, liveDeliveryRetentionMs: null }
    expect(await clean({ ...house.deps, config })).to.include({ attempts: 0 })
    const [first] = await deliveriesOf(house, pair.live)
    expect(first?.attemptLog[0]?.answer).to.equal('thank you')
  })

  it('drops the first answer of a create after two days, when its key is nobody’s retry any more', async () => {
    const { Intent, Product, Order, Endpoint, Claim } = house.deps
    const headers = pair.live.write()
    const create = () => house.http.post('/api/v1/dev/intents').set(headers).send({ amount: 700 })
    const first = await create()
    await makeEverything(house, pair.live, false)
    house.clock.advance(dayMs - 60_000)
    await clean()
    const again = await create()
    expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([first.text, 'true'])

    const mine = { businessId: pair.test.businessId }
    const answered = async () =>
      Promise.all(
        [Intent, Product, Order, Endpoint].map((model) =>
          (model as typeof Intent).countDocuments({ ...mine, answer: { $exists: true } }),
        ),
      )
    expect(await answered()).to.deep.equal([3, 2, 1, 1])
    house.clock.advance(dayMs)
    await createIntent(house, pair.live)
    expect(await clean()).to.include({ answers: 0 })
    house.clock.advance(120_000)
    const { answers } = await clean()
    expect(answers).to.be.at.least(7)
    expect(await answered()).to.deep.equal([1, 0, 0, 0])
    const renewed = await create()
    expect([renewed.status, renewed.headers['idempotent-replayed']]).to.deep.equal([201, undefined])
    expect(renewed.body.data.referenceNumber).to.not.equal(first.body.data.referenceNumber)

    // Nothing is left to do of the claims: MongoDB takes each away when its day is over.
    const ahead = new Date(house.clock.now().getTime() + dayMs)
    expect(await Claim.countDocuments({ expiresAt: { $not: { $lte: ahead } } })).to.equal(0)
    const indexes = await Claim.collection.indexes()
    expect(indexes.find(({ name }) => name === 'expired')).to.deep.include({
      key: { expiresAt: 1 },
      expireAfterSeconds: 0,
    })
  })

  it('reads by indexes what it touches, and next to nothing of what there was before', async () => {
    await makeEverything(house, pair.live, false)
    house.clock.advance(3 * dayMs)
    await clean()
    const ops = await profiled(house, () => clean())
    const looks = ops.filter(
      ({ ns, planSummary }) =>
        /\.(intents|deliveries|orders|products|webhookendpoints)$/.test(ns) && planSummary !== undefined,
    )
    expect(looks.length).to.be.greaterThan(10)
    expect(looks.filter(({ planSummary }) => !planSummary?.startsWith('IXSCAN'))).to.deep.equal([])
    expect(looks.filter(({ docsExamined = 0 }) => docsExamined > 0)).to.deep.equal([])
  })

  it('goes in batches with rests between, and requests are served meanwhile', async () => {
    const { referenceNumber } = await createIntent(house, pair.test)
    const like = await storedIntent(house, referenceNumber)
    const createdAt = new Date(house.clock.now().getTime() - 31 * dayMs)
    const many = Array.from({ length: 1_100 }, (_, index): Intent => {
      const { codeKey: _codeKey, ...rest } = like
      const names = { _id: newId(), referenceNumber: `PI-OLD${index}`, shortCode: `old${index}` }
      return { ...rest, ...names, status: 'CANCELLED', outbox: [], createdAt }
    })
    await house.deps.Intent.collection.insertMany(many as never[])
    const run = { isOver: false }
    const cleaned = clean().finally(() => void (run.isOver = true))
    let served = 0
    while (!run.isOver) {
      await createIntent(house, pair.live)
      served += 1
    }
    expect(await cleaned).to.include({ outcome: 'cleaned', intents: 1_100 })
    expect(served).to.be.greaterThan(10)
    expect(await testsLeft(house, pair.test)).to.include({ intents: 1 })
  })

  it('keeps MongoDB busy for less than a third of the time', async () => {
    const pace = createPace(new AbortController().signal, () => Promise.resolve())
    const beganAt = performance.now()
    let busyMs = 0
    for (let batch = 0; batch < 3; batch += 1)
      await pace(async () => {
        const from = performance.now()
        await house.deps.mongo.db?.command({ ping: 1 })
        while (performance.now() - from < 30) await new Promise(setImmediate)
        busyMs += performance.now() - from
      })
    expect(busyMs / (performance.now() - beganAt)).to.be.lessThan(1 / 3)
  })
})
