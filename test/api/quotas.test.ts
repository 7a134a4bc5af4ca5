import { newAuditLine } from '../../src/audit/audit-event.ts'
import { type BusinessLimits, unsetLimits } from '../../src/businesses/business.ts'
import { parseNewIntent, createIntent as runCreate } from '../../src/intents/create.ts'
import { expireDueIntents } from '../../src/intents/expire.ts'
import { createLiveCodeQuota } from '../../src/intents/live-codes.ts'
import { readUsedToday } from '../../src/limits/counter.ts'
import type { InsertOutcome } from '../../src/mongo/batchers.ts'
import { unavailable } from '../../src/platform/errors.ts'
import { readable, signedIn } from '../admin/staff.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import {
  attempt,
  cancelIntent,
  changeAsOperator,
  deliveriesOf,
  freshDelivery,
  openSecondProcess,
  readIntent,
  relay,
  requestIntent,
  storedDelivery,
  subscribe,
} from '../support/actions.ts'
import { callerOf } from '../support/caller.ts'
import { withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { createGate } from '../support/gate.ts'
import { csvOf, postCsv, storedProducts } from '../support/imports.ts'
import { profiled } from '../support/profiled.ts'
import { deleteAllKeys } from '../support/redis-keys.ts'
import type { Merchant, Service } from '../support/service.ts'
import {
  intents,
  loseResponses,
  withAnotherKey,
  withMerchantPerTest,
  withSecondProcess,
  withService,
} from '../support/service.ts'
import { createProduct, openLiveShop } from '../support/store.ts'
import { waitRarely } from '../support/wait-for.ts'
import { newRequest } from '../support/write-request.ts'
import { expectRefused } from './refused.ts'

const newEndpoint = { url: 'https://shop.example/hook', events: ['payment.created'] }
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const noon = new Date('2036-03-01T12:00:00.000Z')
const create = (service: Service, merchant: Merchant, idempotencyKey?: string) =>
  service.http.post(intents).set(merchant.write(idempotencyKey)).send({ amount: 500 })
const intentsOf = (service: Service, { businessId }: Merchant) =>
  service.deps.Intent.countDocuments({ businessId })
const stored = ({ deps }: Service, filter: object = {}) => deps.StoredResponse.countDocuments(filter)

async function createMany(service: Service, merchant: Merchant, count: number): Promise<void> {
  for (let created = 0; created < count; created += 1) await requestIntent(service, merchant)
}

const environment = {
  LIVE_CODES_PER_BUSINESS: '3',
  SANDBOX_INTENTS_PER_DAY: '5',
  AUDIT_LINES_PER_DAY: '4',
  LIVE_DOCUMENTS_PER_DAY: '100000',
  LIVE_BYTES_PER_DAY: '10000000',
  SANDBOX_BYTES_PER_DAY: '10000000',
}
const service = withService(environment)

describe("A business's quota of live payment codes", () => {
  const limit = 3
  const beside = withSecondProcess(service, environment)
  const merchant = withMerchantPerTest(service, { mode: 'live' })

  it('limits the business without affecting its test keys or other merchants', async () => {
    await createMany(service, merchant, limit)
    const before = await stored(service)
    const details = { scope: 'codes', limit }
    const { headers } = await expectRefused(create(service, merchant), 429, 'RATE_LIMITED', { details })
    // No payment ends by itself for a day. An intent cancelled now frees its code in 15 minutes.
    expect(headers['retry-after']).to.equal('900')
    expect(await intentsOf(service, merchant)).to.equal(limit)
    expect(await stored(service)).to.equal(before)
    await create(service, await withAnotherKey(service, merchant)).expect(201)
    await create(service, await service.merchant({ mode: 'live' })).expect(201)
  })

  it('is never exceeded, even if all create requests arrive in parallel', async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => create(service, merchant)))
    expect(responses.filter(({ status }) => status === 201)).to.have.length(limit)
    expect(await intentsOf(service, merchant)).to.equal(limit)
  })

  it("lets a stored response be repeated, and follows an operator's new limit", async () => {
    const first = await create(service, merchant, 'first').expect(201)
    await createMany(service, merchant, limit - 1)
    await expectRefused(create(service, merchant, 'later'), 429, 'RATE_LIMITED')
    expect((await create(service, merchant, 'first').expect(201)).body).to.deep.equal(first.body)
    await changeAsOperator(service, merchant.businessId, { limits: { liveCodes: limit + 1 } })
    const later = await create(service, merchant, 'later').expect(201)
    expect(later.headers).not.to.have.property('idempotent-replayed')
    for (const maxCodes of [null, 2]) {
      await changeAsOperator(service, merchant.businessId, { limits: { liveCodes: maxCodes } })
      const details = { scope: 'codes', limit: maxCodes ?? limit }
      await expectRefused(create(service, merchant), 429, 'RATE_LIMITED', { details })
    }
  })

  it('counts codes for 15 minutes after their intents are cancelled', async () => {
    const { referenceNumber } = await requestIntent(service, merchant)
    await createMany(service, merchant, limit - 1)
    await cancelIntent(service, merchant, referenceNumber)
    service.clock.advance(10 * minuteMs)
    // The refusal may be based on a count made a second before the cancellation.
    const resting = await waitRarely('the cancel is counted', async () => {
      const refused = await create(service, merchant)
      return refused.headers['retry-after'] !== '900' && refused
    })
    expect(resting.status).to.equal(429)
    expect(Number(resting.headers['retry-after'])).to.be.within(290, 300)
    service.clock.advance(5 * minuteMs)
    await waitRarely('a code is free', async () => (await create(service, merchant)).status === 201)
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED')
  })

  it('counts codes across all processes', async () => {
    await requestIntent(service, merchant)
    await requestIntent(beside, merchant)
    await waitRarely('both processes refuse', async () => {
      const responses = await Promise.all([create(service, merchant), create(beside, merchant)])
      return responses.every(({ status }) => status === 429)
    })
    // A process admits all creates until its first count is back.
    expect(await intentsOf(service, merchant)).to.be.within(limit, limit + 2)
  })

  const codeOf = ({ code }: { code: string }) => code
  function liveCodes() {
    let elapsedMs = 0
    const codes = createLiveCodeQuota(service.deps, () => elapsedMs)
    return { codes, elapse: (ms: number) => void (elapsedMs += ms) }
  }

  it('is recounted at most every ten seconds, or every second while no codes appear to be left', async () => {
    const { codes, elapse } = liveCodes()
    const admit = () => codes.within(merchant, 20, async () => true).catch(codeOf)
    const admitted = (creates: number) => Promise.all(Array.from({ length: creates }, admit))
    const countsDuring = async (work: () => Promise<unknown>) =>
      (await profiled(service, work)).filter(({ command }) => 'aggregate' in command).length
    expect(await countsDuring(() => admitted(10))).to.equal(1)
    elapse(9_999)
    expect(await countsDuring(() => admitted(5))).to.equal(0)
    elapse(2)
    expect(await countsDuring(() => admitted(20))).to.equal(1)
    const countsOf = (outcome: boolean | string) =>
      countsDuring(async () => expect(await admitted(1)).to.deep.equal([outcome]))
    expect(await countsOf('RATE_LIMITED')).to.equal(0)
    elapse(1_001)
    expect(await countsOf(true)).to.equal(1)
  })

  it('includes a create request whose insert is in progress when a count begins', async () => {
    const { codes, elapse } = liveCodes()
    const { passed, open } = createGate()
    const inserting = codes.within(merchant, 2, () => passed)
    await codes.within(merchant, 2, async () => undefined)
    elapse(10_001)
    await codes.within(merchant, 2, async () => undefined)
    expect(await codes.within(merchant, 2, async () => 'admitted').catch(codeOf)).to.equal('RATE_LIMITED')
    open()
    await inserting
  })
})

describe("A business's daily quota for test keys", () => {
  const limit = 5
  const merchant = withMerchantPerTest(service)
  beforeEach(() => service.clock.freeze(noon))

  it('counts intents, orders and products, even deleted ones, but not endpoints', async () => {
    const post = (path: string, body: object = {}) =>
      service.http.post(`/api/v1/dev/${path}`).set(merchant.write()).send(body)
    const { _id: id } = await createProduct(service, merchant)
    await post('store/orders/simulate').expect(201)
    const { body } = await post('webhooks/endpoints', newEndpoint).expect(201)
    await requestIntent(service, merchant)
    for (const _each of [1, 2]) await createProduct(service, merchant)
    for (const path of [`webhooks/endpoints/${body.data.id}`, `store/products/${id}`])
      await service.http.delete(`/api/v1/dev/${path}`).set(merchant.write()).expect(200)
    const product = { name: 'Thé', price: 1 }
    for (const refused of [
      post('store/orders/simulate'),
      post('store/products', product),
      post('intents', { amount: 5 }),
    ]) {
      const details = { scope: 'sandbox', limit }
      const { headers } = await expectRefused(refused, 429, 'RATE_LIMITED', { details })
      expect(headers['retry-after']).to.equal(String(12 * 60 * 60))
    }
    await post('webhooks/endpoints', newEndpoint).expect(201)
    expect(await intentsOf(service, merchant)).to.equal(1)
    await service.http.get(intents).set(merchant.read()).expect(200)
  })

  it('is reset at the start of each UTC day', async () => {
    await createMany(service, merchant, limit)
    service.clock.freeze(new Date(noon.getTime() + dayMs / 2 - 1))
    const late = await create(service, merchant)
    expect([late.status, late.headers['retry-after']]).to.deep.equal([429, '1'])
    service.clock.freeze(new Date(noon.getTime() + dayMs / 2))
    await createMany(service, merchant, limit)
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED')
  })

  it('neither limits live keys or other merchants, nor counts their objects, and can be set per business', async () => {
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    await changeAsOperator(service, merchant.businessId, { limits: { sandboxIntentsPerDay: 1 } })
    await create(service, live).expect(201)
    await requestIntent(service, merchant)
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED')
    await create(service, live).expect(201)
    await create(service, await service.merchant()).expect(201)
    await changeAsOperator(service, merchant.businessId, { limits: { sandboxIntentsPerDay: 0 } })
    await createMany(service, merchant, limit)
  })

  it('refuses an import as a whole if it would exceed the quota', async () => {
    const csv = (price: number, ...handles: string[]) =>
      csvOf('handle,name,price', ...handles.map((handle) => `${handle},${handle},${price}`))
    await postCsv(service, merchant, csv(1, 'a', 'b', 'c')).expect(200)
    await expectRefused(postCsv(service, merchant, csv(1, 'd', 'e', 'f')), 429, 'RATE_LIMITED')
    const handles = (await storedProducts(service, merchant)).map(({ handle }) => handle)
    expect(handles).to.deep.equal(['a', 'b', 'c'])
    await postCsv(service, merchant, csv(1, 'd', 'e')).expect(200)
    await postCsv(service, merchant, csv(2, 'a', 'b', 'c', 'd', 'e')).expect(200)
    await postCsv(service, merchant, csv(1, 'f'), { query: '?dryRun=true' }).expect(200)
    await expectRefused(postCsv(service, merchant, csv(1, 'f')), 429, 'RATE_LIMITED')
  })

  it("is shown on the business's staff page with the number of objects left for the day", async () => {
    await requestIntent(service, merchant)
    await changeAsOperator(service, merchant.businessId, { limits: { perSecond: 250 } })
    const { text } = await (await signedIn(service, 'viewer')).get(`/admin/businesses/${merchant.businessId}`)
    const page = readable(text)
    expect(page).to.include('250 requests per second for each key (set for this business)')
    expect(page).to.include('0 of 3 used, 3 left')
    expect(page).to.include('1 of 5 used, 4 left')
    expect(page).to.match(/Sandbox bytes stored today \d[\d,]* of 10,000,000 used, 9,99\d,\d+ left/)
  })
})

describe("A business's daily storage quota", () => {
  const beside = withSecondProcess(service, environment)
  beforeEach(() => {
    for (const each of [service, beside]) each.clock.freeze(noon)
  })
  const endpointServer = withEndpointServerPerTest()

  const unlimited = { sandboxIntentsPerDay: 0, liveCodes: 1000 }
  const limit = (merchant: Merchant, limits: Partial<BusinessLimits>) =>
    changeAsOperator(service, merchant.businessId, { limits: { ...unlimited, ...limits } })
  const useUp = (merchant: Merchant) => limit(merchant, { liveBytesPerDay: 1, sandboxBytesPerDay: 1 })
  type Sent = [method: 'post' | 'put' | 'patch' | 'delete', path: string, body?: object]
  const send = (merchant: Merchant, method: Sent[0], path: string, body: object = {}, key?: string) =>
    service.http[method](`/api/v1/dev/${path}`).set(merchant.write(key)).send(body)

  async function established(mode: 'live' | 'test') {
    const merchant = await service.merchant({ mode })
    await limit(merchant, {})
    if (mode === 'live') await openLiveShop(service, merchant)
    const { id: endpoint } = await subscribe(service, merchant, endpointServer.url)
    const { referenceNumber } = await requestIntent(service, merchant)
    const product = await createProduct(service, merchant)
    await relay(service, merchant)
    for (const { _id } of await deliveriesOf(service, merchant)) await attempt(service.deps, _id)
    return { merchant, endpoint, referenceNumber, product }
  }

  for (const mode of ['live', 'test'] as const)
    it(`refuses ${mode} requests that create or enlarge data once it is used up, until the next day`, async () => {
      const { merchant, endpoint, product } = await established(mode)
      await useUp(merchant)
      const acts: Sent[] = [
        ['post', 'intents', { amount: 500 }],
        ['post', 'store/products', { name: 'Thé', price: 1 }],
        ['put', `store/products/${product._id}`, { description: 'A longer one' }],
        ['post', 'store/products/import-csv', { csv: csvOf('handle,name,price', 'a,a,1') }],
        ['post', 'webhooks/endpoints', newEndpoint],
        ['post', `webhooks/endpoints/${endpoint}/replay`, { from: '2036-01-01' }],
        ['post', 'webhooks/events/retry', { status: ['DEAD'] }],
        ...(mode === 'test' ? [['post', 'store/orders/simulate'] as ['post', string]] : []),
      ]
      const details = { scope: 'storage', limit: 1 }
      const sendAct = ([method, path, body]: (typeof acts)[number]) =>
        send(merchant, method, path, body, `${method} ${path}`)
      for (const act of acts) {
        const { headers, body } = await expectRefused(sendAct(act), 429, 'RATE_LIMITED', { details })
        expect(headers['retry-after']).to.equal(String(12 * 60 * 60))
        expect(body.error.message).to.include('1 bytes').and.include('Try again tomorrow (UTC)')
      }
      const other = await withAnotherKey(service, merchant, { mode: mode === 'live' ? 'test' : 'live' })
      await limit(merchant, mode === 'live' ? { sandboxBytesPerDay: null } : { liveBytesPerDay: null })
      await create(service, other).expect(201)
      service.clock.freeze(new Date(noon.getTime() + dayMs / 2))
      await limit(merchant, { liveBytesPerDay: null, sandboxBytesPerDay: null })
      for (const act of acts) {
        const { status, text } = await sendAct(act)
        expect(status, text).to.be.oneOf([200, 201])
      }
    })

  it('never refuses a cancellation, payment, refund, deletion, rotation or small change', async () => {
    const { merchant, endpoint, referenceNumber, product } = await established('test')
    const [paid, cancelled] = [await requestIntent(service, merchant), await requestIntent(service, merchant)]
    const replayPath = `webhooks/endpoints/${endpoint}/replay`
    const { body } = await send(merchant, 'post', replayPath, { from: '2036-01-01' })
    const [delivery] = await deliveriesOf(service, merchant)
    await useUp(merchant)
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED')
    const [{ _id: variant }] = product.variants
    const acts: Sent[] = [
      ['post', `intents/${paid.referenceNumber}/simulate-payment`],
      ['post', `intents/${paid.referenceNumber}/refund`, { amount: 100 }],
      ['post', `intents/${cancelled.referenceNumber}/cancel`],
      ['patch', `store/products/${product._id}/variants/${variant}/stock`, { delta: 1 }],
      ['put', `store/products/${product._id}`, { name: 'A' }],
      ['put', `webhooks/endpoints/${endpoint}`, { events: ['payment.confirmed'] }],
      ['post', `webhooks/events/${delivery?._id}/retry`],
      ['post', `webhooks/endpoints/${endpoint}/replays/${body.data.id}/cancel`],
      ['post', `webhooks/endpoints/${endpoint}/rotate-secret`],
      ['delete', `webhooks/endpoints/${endpoint}`],
      ['delete', `store/products/${product._id}`],
    ]
    for (const act of acts) {
      const { status, text } = await send(merchant, ...act)
      expect(status, `${act[1]} ${text}`).to.equal(200)
    }
    service.clock.advance(dayMs)
    await limit(merchant, { sandboxBytesPerDay: 1 })
    await expireDueIntents(service.deps)
    expect((await readIntent(service, merchant, referenceNumber)).status).to.equal('CANCELLED')
  })

  it('refuses even a small change if its response, which is stored for a day, is large', async () => {
    const merchant = await service.merchant()
    await limit(merchant, {})
    const variants = Array.from({ length: 60 }, (_, index) => ({ label: `Variant ${index}`, price: 100 }))
    const { _id } = await createProduct(service, merchant, { name: 'Thé', variants })
    const handleOf = (index: number) => `tea-${index}-of-the-first-harvest-in-the-high-mountains`
    const csv = (price: string) =>
      csvOf('handle,name,price', ...Array.from({ length: 100 }, (_, at) => `${handleOf(at)},a,${price}`))
    await useUp(merchant)
    const before = await stored(service)
    const details = { scope: 'storage', limit: 1 }
    const acts: Sent[] = [
      ['put', `store/products/${_id}`, { variants: [{ label: 'Variant 1', price: 200 }] }],
      ['put', `store/products/${_id}`],
      ['post', 'store/products/import-csv?dryRun=true', { csv: csv('1') }],
      ['post', 'store/products/import-csv?dryRun=true', { csv: csv('free') }],
    ]
    for (const act of acts) await expectRefused(send(merchant, ...act), 429, 'RATE_LIMITED', { details })
    expect(await stored(service)).to.equal(before)
    await limit(merchant, { sandboxBytesPerDay: null })
    await send(merchant, ...(acts[0] ?? expect.fail())).expect(200)
  })

  async function measure({ businessId }: Merchant) {
    const { Intent, Endpoint, Product, Order, Delivery, LoggedEvent, LedgerEntry } = service.deps
    const sizes: number[] = []
    for (const model of [Intent, Endpoint, Product, Order, Delivery, LoggedEvent, LedgerEntry])
      for (const { bytes } of await (model as typeof Intent).aggregate([{ $match: { businessId } }, size]))
        sizes.push(bytes)
    return { documents: sizes.length, bytes: sizes.reduce((sum, each) => sum + each, 0) }
  }
  const size = { $project: { bytes: { $bsonSize: '$$ROOT' } } }
  const counted = async ({ businessId: owner }: Merchant, ...names: string[]) => {
    await service.deps.counters.close()
    const wanted = names.map((name) => ({ name, owner }))
    return readUsedToday(service.deps, wanted)
  }

  it('counts every stored document and byte, including events, deliveries, attempts and ledger entries', async () => {
    const { merchant } = await established('live')
    const before = await measure(merchant)
    const [documents, bytes] = await counted(merchant, 'liveDocuments', 'liveBytes')
    expect(documents).to.equal(before.documents)
    // An event is counted in its outbox, too.
    expect(Number(bytes) / before.bytes).to.be.within(1, 1.5)
  })

  it('counts stored responses and the data that payments and refunds store', async () => {
    const merchant = await service.merchant()
    await limit(merchant, {})
    const { referenceNumber } = await requestIntent(service, merchant)
    const [before = 0] = await counted(merchant, 'sandboxBytes')
    const rows = (await service.deps.StoredResponse.find({}, { _id: 1 }).lean()).map(({ _id }) => _id)
    await send(merchant, 'post', 'intents', { amount: -1 }).expect(400)
    const [refused = 0] = await counted(merchant, 'sandboxBytes')
    const [row] = await service.deps.StoredResponse.aggregate([{ $match: { _id: { $nin: rows } } }, size])
    expect(refused - before).to.equal(row.bytes)
    await send(merchant, 'post', `intents/${referenceNumber}/simulate-payment`).expect(200)
    await send(merchant, 'post', `intents/${referenceNumber}/refund`, { amount: 1 }).expect(200)
    await relay(service, merchant)
    const [after = 0] = await counted(merchant, 'sandboxBytes')
    const { bytes } = await measure(merchant)
    expect(after).to.be.at.least(bytes)
  })

  it('has a separate limit on the number of live documents', async () => {
    const merchant = await service.merchant({ mode: 'live' })
    await limit(merchant, { liveDocumentsPerDay: 2 })
    await createMany(service, merchant, 2)
    const details = { scope: 'storage', limit: 2 }
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED', { details })
    await limit(merchant, { liveDocumentsPerDay: 3 })
    await create(service, merchant).expect(201)
    await limit(merchant, { liveDocumentsPerDay: 0 })
    await create(service, merchant).expect(201)
  })

  it('is never exceeded, even if several processes create objects in parallel', async () => {
    const merchant = await service.merchant()
    await limit(merchant, { sandboxIntentsPerDay: 5 })
    const all = Array.from({ length: 20 }, (_, index) => create(index % 2 === 0 ? service : beside, merchant))
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).to.have.length(5)
    expect(await intentsOf(service, merchant)).to.equal(5)
  })

  it('gets back what a stopping process reserved but did not use', async () => {
    const merchant = await service.merchant()
    await limit(merchant, { sandboxIntentsPerDay: 1000 })
    const stopped = await openSecondProcess(service, environment)
    stopped.clock.freeze(noon)
    for (let made = 0; made < 10; made += 1) await create(stopped, merchant).expect(201)
    const used = () => readUsedToday(service.deps, [{ name: 'sandboxCreates', owner: merchant.businessId }])
    expect(await used()).to.deep.equal([15])
    await stopped.close()
    expect(await used()).to.deep.equal([10])
  })

  it('gets back what a failed create request reserved, unless the intent may have been stored', async () => {
    const { deps } = service
    const { insertIntent } = deps.batchers
    const insertions: [used: number, insert: () => Promise<InsertOutcome>][] = [
      [0, async () => ({ inserted: false, index: 'codeInUse' })],
      [0, async () => ({ inserted: false, index: 'referenceInUse' })],
      [1, () => Promise.reject(unavailable())],
    ]
    for (const [used, insert] of insertions) {
      const merchant = await service.merchant()
      await limit(merchant, { sandboxIntentsPerDay: 10 })
      const caller = { ...callerOf(merchant), limits: { ...unsetLimits, sandboxIntentsPerDay: 10 } }
      const request = newRequest(deps, { deadlineAt: performance.now() + 200 })
      deps.batchers.insertIntent = insert
      const failed = runCreate(deps, caller, parseNewIntent(deps, true, { amount: 5 }), request)
      const { code } = await failed.catch((error) => error)
      deps.batchers.insertIntent = insertIntent
      expect(code).to.equal('SERVICE_UNAVAILABLE')
      expect(await counted(merchant, 'sandboxCreates')).to.deep.equal([used])
    }
  })

  it('does not count requests that are repeated or refused for another reason', async () => {
    const merchant = await service.merchant()
    await limit(merchant, { sandboxIntentsPerDay: 3 })
    const withReference = (key?: string) =>
      service.http.post(intents).set(merchant.write(key)).send({ amount: 500, merchantReference: 'one' })
    const first = await withReference('first').expect(201)
    for (let repeats = 0; repeats < 3; repeats += 1) {
      await expectRefused(withReference(), 409, 'MERCHANT_REFERENCE_TAKEN')
      expect((await withReference('first').expect(201)).body).to.deep.equal(first.body)
    }
    const product = () => send(merchant, 'post', 'store/products', { name: 'Thé', price: 1 }, 'twin')
    await Promise.all([product(), product(), product()])
    await create(service, merchant).expect(201)
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED')
    expect(await service.deps.Product.countDocuments({ businessId: merchant.businessId })).to.equal(1)
  })
})

describe("A business's daily audit line quota", () => {
  const limit = 4
  const beside = withSecondProcess(service, environment)
  beforeEach(() => service.clock.freeze(noon))
  const send = (
    merchant: Merchant,
    method: 'post' | 'put' | 'delete',
    path: string,
    body?: object,
    from = service,
  ) => from.http[method](`/api/v1/dev/webhooks/${path}`).set(merchant.write()).send(body)
  const linesOf = ({ businessId }: Merchant) =>
    service.deps.AuditEvent.countDocuments({ businessId, 'actor.kind': 'merchant' })
  const details = { scope: 'audit', limit }
  async function withEndpoint(mode: 'live' | 'test') {
    const merchant = await service.merchant({ mode })
    const { body } = await send(merchant, 'post', 'endpoints', newEndpoint).expect(201)
    return { merchant, id: body.data.id }
  }
  const fill = async (merchant: Merchant, id: string, from = service) => {
    for (let active = false; ; active = !active)
      if ((await send(merchant, 'put', `endpoints/${id}`, { active }, from)).status === 429) return
  }
  type Act = [method: 'post' | 'put', path: string, body?: object]
  const limitedActs = (id: string, delivery: string): Act[] => [
    ['post', 'endpoints', newEndpoint],
    ['put', `endpoints/${id}`, { url: 'https://shop.example/other' }],
    ['post', `endpoints/${id}/replay`, { from: '2036-01-01' }],
    ['post', `events/${delivery}/retry`],
    ['post', 'events/retry', { status: ['DEAD'] }],
  ]

  it('refuses every action except deletions, rotations and cancellations once it is used up', async () => {
    const { merchant, id } = await withEndpoint('live')
    const delivery = await freshDelivery(service, merchant)
    const replay = { from: '2036-01-01' }
    const { body } = await send(merchant, 'post', `endpoints/${id}/replay`, replay).expect(201)
    await fill(merchant, id)
    expect(await linesOf(merchant)).to.equal(limit)
    for (const act of limitedActs(id, delivery._id)) {
      const { headers } = await expectRefused(send(merchant, ...act), 429, 'RATE_LIMITED', { details })
      expect(headers['retry-after']).to.equal(String(12 * 60 * 60))
    }
    expect(await linesOf(merchant)).to.equal(limit)
    expect((await storedDelivery(service, delivery)).requeues).to.equal(0)
    await send(merchant, 'post', `endpoints/${id}/replay`, { ...replay, dryRun: true }).expect(200)
    const cancelled = await send(merchant, 'post', `endpoints/${id}/replays/${body.data.id}/cancel`)
    expect(cancelled.body.data?.status).to.equal('CANCELLED')
    await send(merchant, 'post', `endpoints/${id}/rotate-secret`).expect(200)
    await send(merchant, 'delete', `endpoints/${id}`).expect(200)
    expect(await linesOf(merchant)).to.equal(limit + 3)
    const other = await withAnotherKey(service, merchant, { mode: 'test' })
    await send(other, 'post', 'endpoints', newEndpoint).expect(201)
    await withEndpoint('live')
    service.clock.freeze(new Date(noon.getTime() + dayMs / 2))
    await send(merchant, 'post', 'endpoints', newEndpoint).expect(201)
  })

  it('does not refuse a repeated request that used the last line', async () => {
    for (const index of limitedActs('', '').keys()) {
      const { merchant, id } = await withEndpoint('live')
      const delivery = await freshDelivery(service, merchant)
      excuse([delivery._id])
      const dead = { status: 'DEAD', deadAt: noon, nextAttemptAt: null }
      await service.deps.Delivery.updateOne({ _id: delivery._id }, dead)
      for (const active of [false, true])
        await send(merchant, 'put', `endpoints/${id}`, { active }).expect(200)
      const [method, path, body] = limitedActs(id, delivery._id)[index] ?? expect.fail()
      const url = `/api/v1/dev/webhooks/${path}`
      const headers = merchant.write()
      const request = () => service.http[method](url).set(headers).send(body)
      const first = await request()
      expect(first.status, first.text).to.be.oneOf([200, 201])
      await fill(merchant, id)
      if (url.endsWith('retry')) await loseResponses(service)
      const again = await request()
      expect([again.status, again.text], url).to.deep.equal([first.status, first.text])
      expect(await linesOf(merchant)).to.equal(limit)
    }
  })

  it('counts the lines of all processes, even if Redis has lost its data, but no lines by staff', async () => {
    const { merchant, id } = await withEndpoint('live')
    const by = { actor: { kind: 'staff', name: 'awa', from: null }, reason: 'x' } as const
    const lines = Array.from({ length: limit }, () =>
      newAuditLine(by, noon, { act: 'delivery.requeued', subject: 'x', businessId: merchant.businessId }),
    )
    await service.deps.AuditEvent.insertMany(lines)
    beside.clock.freeze(noon)
    await fill(merchant, id, beside)
    await deleteAllKeys(service.deps.config.redisUrl, service.deps.config.queuePrefix)
    const again = send(merchant, 'put', `endpoints/${id}`, { events: ['payment.created'] })
    await expectRefused(again, 429, 'RATE_LIMITED', { details })
    expect(await linesOf(merchant)).to.equal(limit)
  })

  it('does not count requests that write no audit line', async () => {
    const { merchant, id } = await withEndpoint('test')
    for (let times = 0; times < 2 * limit; times += 1) {
      await send(merchant, 'put', `endpoints/${id}`, { events: newEndpoint.events }).expect(200)
      await send(merchant, 'post', 'events/retry', { status: ['DEAD'] }).expect(200)
      await send(merchant, 'post', 'events/none/retry').expect(404)
    }
    await fill(merchant, id)
    expect(await linesOf(merchant)).to.equal(limit)
  })

  it('is not used up by repeated rotations, which share one line per hour', async () => {
    const { merchant, id } = await withEndpoint('test')
    const rotate = (by = merchant) => send(by, 'post', `endpoints/${id}/rotate-secret`).expect(200)
    const lines = async () => {
      const found = await service.deps.AuditEvent.find({ subject: id, act: 'endpoint.secret-rotated' })
      return found.map(({ at, after }) => [at, after?.times ?? null, after?.notes ?? null])
    }
    for (let rotations = 0; rotations < 5; rotations += 1) await rotate()
    const [first, own] = [[noon, null, null], merchant.keyId]
    expect(await lines()).to.have.deep.members([first, [noon, 4, [own]]])
    service.clock.freeze(new Date(noon.getTime() + 59 * minuteMs))
    const other = await withAnotherKey(service, merchant, { mode: 'test' })
    await rotate(other)
    await Promise.all([rotate(), rotate(other)])
    const end = new Date(noon.getTime() + 60 * minuteMs)
    service.clock.freeze(end)
    await rotate()
    expect(await lines()).to.have.deep.members([first, [noon, 7, [own, other.keyId]], [end, null, null]])
  })
})
