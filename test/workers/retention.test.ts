import { collectionDeclarations } from '../../src/context/models.ts'
import { newEvent } from '../../src/outbox/event.ts'
import { newId } from '../../src/platform/ids.ts'
import { runCleanUp } from '../../src/retention/clean-up.ts'
import { type CleanedKind, type CleanUpWatch, startCounts } from '../../src/retention/cleaning.ts'
import { makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { signedIn } from '../admin/staff.ts'
import { breaks, excuse } from '../invariants/expect-invariants.ts'
import { attempt, createIntent, freshDelivery, relay, storedDelivery, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { storeOrder } from '../support/orders.ts'
import { newRefund } from '../support/pay.ts'
import { type Profiled, profiled } from '../support/profiled.ts'
import { ageData, countTestData, createSampleData, openPair } from '../support/sample-data.ts'
import { withService } from '../support/service.ts'
import { withOpened } from '../support/with.ts'

const dayMs = 86_400_000
const nothing = { intents: 0, deliveries: 0, orders: 0, products: 0 }
/** Collections without merchants' data, or with nothing but test data. */
const ignoredCollections = ['retention', 'retentionprogress', 'walletmovements']
const unwatched = { count: () => undefined, done: () => undefined }

describe('The data clean-up', () => {
  const service = withService()
  const endpointServer = withEndpointServer()
  const pair = withOpened(
    () => openPair(service, endpointServer),
    () => undefined,
  )
  beforeEach(() => endpointServer.respondWith((res) => void res.end('thank you')))
  afterEach(() => service.clock.freeze(null))
  async function clean(deps = service.deps, ending = new AbortController(), watch: CleanUpWatch = unwatched) {
    const begun = startCounts(watch)
    const outcome = await runCleanUp(deps, ending.signal, begun.watch)
    return { outcome, ...begun.counts }
  }

  it('removes test data only when it is more than 30 days old', async () => {
    const madeAt = service.clock.now()
    service.clock.freeze(madeAt)
    const [paid = ''] = await createSampleData(service, pair.test, true)
    const all = { intents: 2, deliveries: 6, orders: 1, products: 2 }
    expect(await countTestData(service, pair.test)).to.deep.equal(all)
    service.clock.freeze(new Date(madeAt.getTime() + 30 * dayMs))
    await clean()
    expect(await countTestData(service, pair.test)).to.deep.equal(all)
    service.clock.advance(1)
    const late = { referenceNumber: paid, event: 'payment.refunded' }
    await service.deps.Delivery.updateOne(late, { $set: { createdAt: service.clock.now() } })
    const { outcome, intents, deliveries, orders, products, movements } = await clean()
    expect({ intents, deliveries, orders, products }).to.deep.equal(all)
    expect([outcome, movements]).to.deep.equal(['cleaned', 2])
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
  })

  /** Omits what the clean-up may remove, and what attempts write late. */
  async function liveDocuments(): Promise<Map<string, string>> {
    const texts = new Map<string, string>()
    for (const { name } of collectionDeclarations.filter((each) => !ignoredCollections.includes(each.name))) {
      const docs = await service.deps.mongo.collection(name).find().toArray()
      for (const { attemptLog: _log, health: _health, attemptHours: _hours, ...kept } of docs)
        if (kept.sandbox !== true) texts.set(`${name} ${String(kept._id)}`, JSON.stringify(kept))
    }
    return texts
  }

  it('changes no balances and no live documents except attempts', async () => {
    await createSampleData(service, pair.test, true)
    await createSampleData(service, pair.live, false)
    await ageData(service, pair.test, 400 * dayMs)
    const before = await liveDocuments()
    const kinds = new Set([...before.keys()].map((key) => key.split(' ')[0]))
    expect([...kinds]).to.include.members(['intents', 'deliveries', 'orders', 'products', 'shops', 'wallets'])
    expect(await clean()).to.include({ outcome: 'cleaned', intents: 2, orders: 1, products: 2, movements: 2 })
    expect(await liveDocuments()).to.deep.equal(before)
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
    expect(await clean()).to.include({ intents: 0, deliveries: 0, attempts: 0 })
  })

  it('keeps unfinished intents, orders and deliveries of any age', async () => {
    const { Intent, Order, Delivery } = service.deps
    const recorded = { format: 1, facts: { status: 'PENDING' } }
    const event = newEvent('payment.created', service.clock.now(), recorded, null)
    const refund = newRefund(service.deps, 1)
    const { businessId } = pair.test
    const held: [what: string, change: object, undo: object][] = [
      ['its event is not relayed', { $push: { outbox: event } }, { $set: { outbox: [] } }],
      ['a payment is in progress', { $set: { hold: { id: newId() } } }, { $set: { hold: null } }],
      ['a refund is in progress', { $push: { refunds: refund } }, { $set: { refunds: [] } }],
      ['a retry may need its response', {}, { $set: { marks: [] } }],
      ['it is not expired yet', { $set: { status: 'PENDING' } }, { $set: { status: 'CANCELLED' } }],
    ]
    const intents = await Promise.all(held.map(() => createIntent(service, pair.test)))
    const references = intents.map(({ referenceNumber }) => referenceNumber)
    await relay(service, pair.test)
    await Intent.updateMany({ businessId }, { $set: { status: 'CANCELLED' } })
    const [, cancelled = ''] = await createSampleData(service, pair.test, true)
    const unrelayed = await storeOrder(service, pair.test)
    await Promise.all(
      held.map(([, change], index) => Intent.updateOne({ referenceNumber: references[index] ?? '' }, change)),
    )
    await ageData(service, pair.test, 400 * dayMs)
    // A retry may still need it.
    const mark = { key: newId(), paramsHash: '', at: service.clock.now() }
    await Intent.updateOne({ referenceNumber: references[3] ?? '' }, { $push: { marks: mark } })
    const ofCancelled = { referenceNumber: cancelled, event: 'payment.cancelled' }
    const retrying = { nextAttemptAt: service.clock.now(), status: 'RETRYING' } as const
    await Delivery.updateOne(ofCancelled, { $set: retrying })
    await clean()
    const left = await Intent.find({ businessId, sandbox: true }).lean()
    expect(left.map((each) => each.referenceNumber)).to.have.members([...references, cancelled])
    const kept = { intents: 6, deliveries: 1, orders: 1, products: 0 }
    expect(await countTestData(service, pair.test)).to.deep.equal(kept)
    await Promise.all(
      held.map(([, , undo], index) => Intent.updateOne({ referenceNumber: references[index] ?? '' }, undo)),
    )
    await Delivery.updateOne(ofCancelled, { $set: { nextAttemptAt: null, status: 'CANCELLED' } })
    await Order.updateOne({ _id: unrelayed._id }, { $set: { outbox: [] } })
    await clean()
    expect(await countTestData(service, pair.test)).to.deep.equal(nothing)
  })

  async function attemptedDelivery(): Promise<string> {
    const { _id } = await freshDelivery(service, pair.live)
    await attempt(service.deps, _id)
    return _id
  }

  it('keeps only the last attempt of an old live delivery', async () => {
    endpointServer.respondWith((res) => void res.writeHead(500).end('not today'))
    const _id = await attemptedDelivery()
    service.clock.advance(30_000)
    await attempt(service.deps, _id)
    const before = await storedDelivery(service, { _id })
    await ageData(service, pair.live, 91 * dayMs)
    for (let night = 0; night < 2; night += 1) await clean()
    expect(await storedDelivery(service, { _id }), 'it waits for an attempt').to.have.deep.property(
      'attemptLog',
      before.attemptLog,
    )
    const dead = { status: 'DEAD', nextAttemptAt: null, deadAt: service.clock.now() } as const
    await service.deps.Delivery.updateOne({ _id }, { $set: dead })
    let attempts = 0
    const ops = await profiled(service, async () => void ({ attempts } = await clean()))
    expect(attempts).to.equal(1)
    expect(returned(ops, 'byTimeAndEvent'), 'newer deliveries are not read').to.equal(0)
    expect(await storedDelivery(service, { _id })).to.not.have.property('untrimmed')
    const path = `/api/v1/dev/webhooks/events/${_id}`
    const { body } = await service.http.get(path).set(pair.live.read())
    expect(body.data).to.include({ attempts: 2, lastResponseStatus: 500, lastError: 'status' })
    expect(body.data.attemptLog).to.have.length(1)
    expect(body.data.attemptLog[0]).to.deep.include({ responseStatus: 500, responseBody: null })
    const staff = await signedIn(service, 'viewer')
    const page = (await staff.get(`/admin/deliveries/${_id}`)).text
    expect(page).to.include('The response is no longer stored')
    expect(page).to.include('Attempts before number 2 are no longer stored')
    expect((await service.http.post(`${path}/retry`).set(pair.live.write())).body.data.retried).to.equal(true)
    endpointServer.respondWith((res) => void res.end('at last'))
    expect(await attempt(service.deps, _id)).to.include({ outcome: 'delivered', attempts: 3 })
    expect(await clean()).to.include({ attempts: 1 })
    const last = await storedDelivery(service, { _id })
    expect(last).to.not.have.property('untrimmed')
    const kept = last.attemptLog.map(({ status, responseText }) => `${status} ${responseText ?? null}`)
    expect(kept).to.deep.equal(['200 null'])
  })

  it('keeps all attempts of a re-queued delivery until the re-queue is old', async () => {
    endpointServer.respondWith((res) => void res.writeHead(500).end('not today'))
    const _id = await attemptedDelivery()
    const dead = { status: 'DEAD', nextAttemptAt: null, deadAt: service.clock.now() } as const
    await service.deps.Delivery.updateOne({ _id }, { $set: dead })
    await service.http.post(`/api/v1/dev/webhooks/events/${_id}/retry`).set(pair.live.write()).expect(200)
    await attempt(service.deps, _id)
    await clean()
    const { attemptLog } = await storedDelivery(service, { _id })
    expect(attemptLog.map(({ responseText }) => responseText)).to.deep.equal(['not today', 'not today'])
    breaks(service, 'delivery state', _id)
    await service.deps.Delivery.updateOne({ _id }, { $set: dead })
    await ageData(service, pair.live, 90 * dayMs - 60_000)
    await clean()
    expect((await storedDelivery(service, { _id })).attemptLog, 'a minute too young').to.have.length(2)
    service.clock.advance(120_000)
    await clean()
    expect((await storedDelivery(service, { _id })).attemptLog).to.have.length(1)
  })

  it('keeps attempts forever if LIVE_DELIVERY_RETENTION_DAYS is 0', async () => {
    const _id = await attemptedDelivery()
    await ageData(service, pair.live, 4_000 * dayMs)
    const config = { ...service.deps.config, liveDeliveryRetentionMs: null }
    expect(await clean({ ...service.deps, config })).to.include({ attempts: 0 })
    expect((await storedDelivery(service, { _id })).attemptLog[0]?.responseText).to.equal('thank you')
  })

  it('removes an endpoint only if it has no deliveries and was deleted more than two days ago', async () => {
    const merchant = await service.merchant()
    const create = async () => (await subscribe(service, merchant, endpointServer.url)).id
    const remove = (id: string) =>
      service.http.delete(`/api/v1/dev/webhooks/endpoints/${id}`).set(merchant.write()).expect(200)
    const [active, delivered] = [await create(), await create()]
    await createIntent(service, merchant)
    await relay(service, merchant)
    const unused = await create()
    await remove(delivered)
    await remove(unused)
    const left = async () => {
      const all = await service.deps.Endpoint.find({ businessId: merchant.businessId }, { _id: 1 }).lean()
      return all.map(({ _id }) => _id).toSorted()
    }
    await clean()
    expect(await left()).to.deep.equal([active, delivered, unused].toSorted())
    service.clock.advance(2 * dayMs + 60_000)
    expect((await clean()).endpoints).to.equal(1)
    expect(await left()).to.deep.equal([active, delivered].toSorted())
    await service.deps.Delivery.deleteMany({ endpointId: delivered })
    expect((await clean()).endpoints).to.equal(1)
    expect(await left()).to.deep.equal([active])
  })

  it('reads only through indexes, and rereads almost nothing that an earlier run has handled', async () => {
    service.clock.advance(3 * dayMs)
    const ops = await profiled(service, () => clean())
    const reads = ops.filter(
      ({ ns, planSummary }) =>
        /\.(intents|deliveries|orders|products|webhookendpoints)$/.test(ns) && planSummary !== undefined,
    )
    expect(reads.length).to.be.greaterThan(10)
    // IDHACK is a read by _id, because an endpoint's health is written at the same time.
    const plans = reads.map(({ planSummary }) => planSummary)
    expect(plans.filter((plan) => !/^(IXSCAN|IDHACK)/.test(plan ?? ''))).to.deep.equal([])
    // Each log's last event is read by its number.
    const walks = ops.filter(({ command: { hint } }) => hint !== undefined && hint !== 'chain')
    expect(walks.filter(({ docsExamined = 0 }) => docsExamined > 0)).to.deep.equal([])
    expect(returned(ops, 'byTimeAndEvent')).to.equal(0)
  })

  async function makeManyDeliveries(): Promise<void> {
    const like = await storedDelivery(service, { _id: await attemptedDelivery() })
    const from = service.clock.now().getTime() - 100 * dayMs
    const copies = Array.from({ length: 700 }, (_, index) => {
      const _id = makeDeliveryId(newId(), like.endpointId)
      return { ...like, _id, createdAt: new Date(from + index) }
    })
    excuse(copies.map(({ _id }) => _id))
    await service.deps.Delivery.collection.insertMany(copies as never[])
  }

  it("resumes where it was stopped, even in the middle of a business's data", async () => {
    await service.deps.RetentionProgress.deleteMany({})
    await clean()
    await makeManyDeliveries()
    const old = { businessId: pair.live.businessId, sandbox: false }
    const found = await service.deps.Delivery.find(old).sort({ createdAt: 1, _id: 1 })
    const ages = found.map(({ createdAt }) => createdAt)
    await service.deps.RetentionProgress.updateMany({}, { $unset: { walked: 1 } })
    const ending = new AbortController()
    const count = (kind: CleanedKind, documents: number) =>
      void (kind === 'attempts' && documents > 1 && ending.abort())
    const stopped = await clean(service.deps, ending, { ...unwatched, count })
    expect(stopped).to.include({ outcome: 'stopped', businesses: 0 })
    const reached = async () =>
      (await service.deps.RetentionProgress.findById(pair.live.businessId).lean())?.walked?.['attempts']
    const last = ages[499]
    expect(await reached()).to.deep.equal(last)
    const ops = await profiled(service, async () => expect((await clean()).outcome).to.equal('cleaned'))
    const firsts = ops.flatMap(
      ({ command }) => (command.filter as { createdAt?: { $gte?: Date } })?.createdAt?.$gte ?? [],
    )
    expect(firsts).to.deep.include(last)
    expect(returned(ops, 'byTimeAndEvent')).to.be.within(201, ages.length - 499 + 50)
  })
})

const returned = (ops: Profiled[], index: string): number =>
  ops.filter(({ command }) => command.hint === index).reduce((sum, { nreturned = 0 }) => sum + nreturned, 0)
