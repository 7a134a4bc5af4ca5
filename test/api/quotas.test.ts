import { expect } from 'chai'
import { auditLine } from '../../src/audit/audit-event.ts'
import { countAuditLines } from '../../src/quotas/audit-lines.ts'
import { countLiveCodes } from '../../src/quotas/live-codes.ts'
import { countSandboxDay } from '../../src/quotas/sandbox-day.ts'
import { countSandboxResponses } from '../../src/quotas/sandbox-responses.ts'
import { readable, signedIn } from '../admin/staff.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { cancelIntent, changeAsOperator, freshDelivery, requestIntent, storedDelivery } from '../support/actions.ts'
import { csvOf, postCsv, storedProducts } from '../support/imports.ts'
import { profiled } from '../support/profiled.ts'
import { deleteAllKeys } from '../support/redis-keys.ts'
import {
  loseResponses,
  type Merchant,
  type Service,
  withAnotherKey,
  withSecondProcess,
  withService,
} from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { waitRarely } from '../support/wait-for.ts'
import { expectRefused } from './refused.ts'

const intents = '/api/v1/dev/intents'
const endpoints = '/api/v1/dev/webhooks/endpoints'
const newEndpoint = { url: 'https://shop.example/hook', events: ['payment.created'] }
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const noon = new Date('2036-03-01T12:00:00.000Z')

const create = (service: Service, merchant: Merchant, idempotencyKey?: string) =>
  service.http.post(intents).set(merchant.write(idempotencyKey)).send({ amount: 500 })
const intentsOf = (service: Service, { businessId }: Merchant) => service.deps.Intent.countDocuments({ businessId })
const stored = ({ deps }: Service, filter: object = {}) => deps.StoredResponse.countDocuments(filter)

async function createMany(service: Service, merchant: Merchant, count: number): Promise<void> {
  for (let created = 0; created < count; created += 1) await requestIntent(service, merchant)
}

const environment = { LIVE_CODES_PER_BUSINESS: '3', SANDBOX_INTENTS_PER_DAY: '5', AUDIT_LINES_PER_DAY: '4' }
const service = withService(environment)

describe("The quota for a business's live payment codes", () => {
  const limit = 3
  const beside = withSecondProcess(service, environment)

  /** A live merchant with all its codes in use. */
  async function fullMerchant(): Promise<Merchant> {
    const merchant = await service.merchant({ mode: 'live' })
    await createMany(service, merchant, limit)
    return merchant
  }

  it('limits the business without affecting its test keys or other merchants', async () => {
    const merchant = await fullMerchant()
    const before = await stored(service)
    const details = { scope: 'codes', limit }
    const { headers } = await expectRefused(create(service, merchant), 429, 'RATE_LIMITED', { details })
    // No payment ends by itself for a day. An intent that is cancelled now frees its code in 15 minutes.
    expect(headers['retry-after']).to.equal('900')
    expect(await intentsOf(service, merchant)).to.equal(limit)
    expect(await stored(service)).to.equal(before)

    const tests = await withAnotherKey(service, merchant)
    await create(service, tests).expect(201)
    await create(service, await service.merchant({ mode: 'live' })).expect(201)
  })

  it('is not exceeded even if all creates arrive in parallel', async () => {
    const merchant = await service.merchant({ mode: 'live' })
    const responses = await Promise.all(Array.from({ length: 12 }, () => create(service, merchant)))
    expect(responses.filter(({ status }) => status === 201)).to.have.length(limit)
    expect(await intentsOf(service, merchant)).to.equal(limit)
  })

  it('does not prevent a stored response from being replayed, and a refused create can succeed later with the same idempotency key', async () => {
    const merchant = await service.merchant({ mode: 'live' })
    const first = await create(service, merchant, 'first').expect(201)
    for (let made = 1; made < limit; made += 1) await requestIntent(service, merchant)
    await expectRefused(create(service, merchant, 'later'), 429, 'RATE_LIMITED')
    const replayed = await create(service, merchant, 'first').expect(201)
    expect(replayed.body).to.deep.equal(first.body)
    await changeAsOperator(service, merchant.businessId, { limits: { liveCodes: limit + 1 } })
    const later = await create(service, merchant, 'later').expect(201)
    expect(later.headers).not.to.have.property('idempotent-replayed')
  })

  it('still counts codes for 15 minutes after their intents are cancelled, and then releases the codes', async () => {
    const merchant = await service.merchant({ mode: 'live' })
    const { referenceNumber } = await requestIntent(service, merchant)
    for (let made = 1; made < limit; made += 1) await requestIntent(service, merchant)
    await cancelIntent(service, merchant, referenceNumber)
    service.clock.advance(10 * minuteMs)
    // The refusal may be based on a count from the second before the cancel.
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

  it('counts codes across all processes, each of which refuses further creates once the quota is used up', async () => {
    const merchant = await service.merchant({ mode: 'live' })
    await requestIntent(service, merchant)
    await requestIntent(beside, merchant)
    await waitRarely('both processes refuse', async () => {
      const responses = await Promise.all([create(service, merchant), create(beside, merchant)])
      return responses.every(({ status }) => status === 429)
    })
    // A process admits all creates until its first count returns.
    expect(await intentsOf(service, merchant)).to.be.within(limit, limit + 2)
  })

  it('counts codes through an index alone, without reading a document', async () => {
    const merchant = await fullMerchant()
    const operations = await profiled(service, async () => {
      await countLiveCodes(service.deps, [merchant.businessId])
      await countSandboxDay(service.deps, [merchant.businessId])
      await countSandboxResponses(service.deps, [merchant.businessId])
    })
    const counts = operations.filter(({ command }) => 'aggregate' in command)
    expect(counts.map(({ planSummary }) => String(planSummary).split(' ')[0])).to.include('IXSCAN')
    for (const { docsExamined } of counts) expect(docsExamined).to.equal(0)
  })

  it('can be lowered for the business by an operator, and then applies from the next create on', async () => {
    const merchant = await service.merchant({ mode: 'live' })
    await changeAsOperator(service, merchant.businessId, { limits: { liveCodes: 10 } })
    await createMany(service, merchant, 5)
    await changeAsOperator(service, merchant.businessId, { limits: { liveCodes: 5 } })
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED', {
      details: { scope: 'codes', limit: 5 },
    })
    await changeAsOperator(service, merchant.businessId, { limits: { liveCodes: null } })
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED')
  })
})

describe("The daily quota for a business's test keys", () => {
  const limit = 5
  beforeEach(() => service.clock.freeze(noon))

  const order = (merchant: Merchant) =>
    service.http.post('/api/v1/dev/store/orders/simulate').set(merchant.write()).send({})
  const product = (merchant: Merchant) =>
    service.http.post('/api/v1/dev/store/products').set(merchant.write()).send({ name: 'Thé', price: 1 })
  const endpoint = (merchant: Merchant) => service.http.post(endpoints).set(merchant.write()).send(newEndpoint)

  it('counts intents, orders and products, even those that have been deleted, but no endpoints', async () => {
    const merchant = await service.merchant()
    const { _id: id } = await createProduct(service, merchant)
    await order(merchant).expect(201)
    const { body } = await endpoint(merchant).expect(201)
    await requestIntent(service, merchant)
    for (const _each of [1, 2]) await createProduct(service, merchant)
    for (const path of [`webhooks/endpoints/${body.data.id}`, `store/products/${id}`])
      await service.http.delete(`/api/v1/dev/${path}`).set(merchant.write()).expect(200)
    for (const make of [order, product, (as: Merchant) => create(service, as)]) {
      const details = { scope: 'sandbox', limit }
      const { headers } = await expectRefused(make(merchant), 429, 'RATE_LIMITED', { details })
      expect(headers['retry-after']).to.equal(String(12 * 60 * 60))
    }
    await endpoint(merchant).expect(201)
    expect(await intentsOf(service, merchant)).to.equal(1)
    await service.http.get(intents).set(merchant.read()).expect(200)
  })

  it('is reset at the start of each UTC day', async () => {
    const merchant = await service.merchant()
    await createMany(service, merchant, limit)
    service.clock.freeze(new Date(noon.getTime() + dayMs / 2 - 1))
    const late = await create(service, merchant)
    expect([late.status, late.headers['retry-after']]).to.deep.equal([429, '1'])
    service.clock.freeze(new Date(noon.getTime() + dayMs / 2))
    await createMany(service, merchant, limit)
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED')
  })

  it('neither limits nor counts objects created with live keys or by other merchants', async () => {
    const merchant = await service.merchant()
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    await endpoint(live).expect(201)
    await create(service, live).expect(201)
    await createMany(service, merchant, limit)
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED')
    await create(service, live).expect(201)
    await create(service, await service.merchant()).expect(201)
  })

  it('can be set for each business, and 0 means that there is no limit', async () => {
    const merchant = await service.merchant()
    await changeAsOperator(service, merchant.businessId, { limits: { sandboxIntentsPerDay: 1 } })
    await requestIntent(service, merchant)
    await expectRefused(create(service, merchant), 429, 'RATE_LIMITED')
    await changeAsOperator(service, merchant.businessId, { limits: { sandboxIntentsPerDay: 0 } })
    await createMany(service, merchant, limit)
  })

  it('refuses a whole import that exceeds the quota, but accepts an import that only changes products', async () => {
    const merchant = await service.merchant()
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

  it("is shown on the business's staff page, with the number of objects left for the day", async () => {
    const merchant = await service.merchant()
    await requestIntent(service, merchant)
    await changeAsOperator(service, merchant.businessId, { limits: { perSecond: 250 } })
    const staff = await signedIn(service, 'viewer')
    const { text } = await staff.get(`/admin/businesses/${merchant.businessId}`)
    const page = readable(text)
    expect(page).to.include('250 requests per second for each key (set for this business)')
    expect(page).to.include('0 of 3 used, 3 left')
    expect(page).to.include('1 of 5 used, 4 left')
  })
})

describe("The daily quota for responses stored for a business's test keys", () => {
  const limit = 2 * 2
  let merchant: Merchant
  beforeEach(async () => {
    service.clock.freeze(noon)
    merchant = await service.merchant()
    const limits = { sandboxIntentsPerDay: limit / 2, liveCodes: 20 }
    await changeAsOperator(service, merchant.businessId, { limits })
  })

  const fail = (referenceNumber: string, as = merchant, idempotencyKey?: string) =>
    service.http
      .post(`${intents}/${referenceNumber}/simulate-payment`)
      .set(as.write(idempotencyKey))
      .send({ outcome: 'insufficient_funds' })
  const eventsOf = async ({ businessId }: Merchant) =>
    (await service.deps.Intent.find({ businessId }).lean()).flatMap(({ outbox }) => outbox).length

  it('refuses writes once it is used up, and a refused write has no effect and produces no event', async () => {
    const { referenceNumber } = await requestIntent(service, merchant)
    for (let made = 0; made < limit; made += 1) await fail(referenceNumber).expect(402)
    const [before, events] = [await stored(service), await eventsOf(merchant)]
    const details = { scope: 'sandbox', limit }
    const { headers } = await expectRefused(fail(referenceNumber), 429, 'RATE_LIMITED', { details })
    expect(headers['retry-after']).to.equal(String(12 * 60 * 60))
    expect([await stored(service), await eventsOf(merchant)]).to.deep.equal([before, events])
    await service.http.get(`${intents}/${referenceNumber}`).set(merchant.read()).expect(200)
  })

  it('counts the responses to changes, endpoint tests and refused creates, but not those to successful intent creates', async () => {
    const { referenceNumber } = await requestIntent(service, merchant)
    await requestIntent(service, merchant)
    await service.http.post(intents).set(merchant.write()).send({ amount: -1 }).expect(400)
    await cancelIntent(service, merchant, referenceNumber)
    await service.http.post('/api/v1/dev/webhooks/endpoints/none/test').set(merchant.write()).expect(404)
    const stock = '/api/v1/dev/store/products/none/variants/none/stock'
    await service.http.patch(stock).set(merchant.write()).send({ delta: 1 }).expect(404)
    await expectRefused(fail(referenceNumber), 429, 'RATE_LIMITED')
  })

  it('never refuses to cancel, to delete or to rotate a secret', async () => {
    const { referenceNumber } = await requestIntent(service, merchant)
    const { _id: product } = await createProduct(service, merchant)
    const send = (method: 'post' | 'delete', path: string, body: object = {}) =>
      service.http[method](`/api/v1/dev/${path}`).set(merchant.write()).send(body)
    const { id } = (await send('post', 'webhooks/endpoints', newEndpoint).expect(201)).body.data
    const ofEndpoint = `webhooks/endpoints/${id}`
    const { id: replay } = (await send('post', `${ofEndpoint}/replay`, { from: '2036-01-01' }).expect(201)).body.data
    for (let made = 0; made < limit; made += 1) await fail(referenceNumber).expect(402)
    await expectRefused(fail(referenceNumber), 429, 'RATE_LIMITED')
    await cancelIntent(service, merchant, referenceNumber)
    await send('post', `${ofEndpoint}/replays/${replay}/cancel`).expect(200)
    await send('post', `${ofEndpoint}/rotate-secret`).expect(200)
    await send('delete', ofEndpoint).expect(200)
    await send('delete', `store/products/${product}`).expect(200)
    await expectRefused(fail(referenceNumber), 429, 'RATE_LIMITED')
    expect(await stored(service, { sandboxOf: merchant.businessId })).to.equal(limit + 5)
  })

  it('counts the responses to deletions, which limits how often endpoints can be created and deleted', async () => {
    for (let made = 0; made < limit; made += 1)
      await service.http.delete(`${endpoints}/none`).set(merchant.write()).expect(404)
    const again = service.http.post(endpoints).set(merchant.write()).send(newEndpoint)
    await expectRefused(again, 429, 'RATE_LIMITED')
  })

  it('allows replays even if it is used up, and a refused write is accepted the next day with the same idempotency key', async () => {
    const { referenceNumber } = await requestIntent(service, merchant)
    const first = await fail(referenceNumber, merchant, 'first').expect(402)
    for (let made = 1; made < limit; made += 1) await fail(referenceNumber).expect(402)
    await expectRefused(fail(referenceNumber, merchant, 'later'), 429, 'RATE_LIMITED')
    const replayed = await fail(referenceNumber, merchant, 'first').expect(402)
    expect(replayed.body).to.deep.equal(first.body)
    service.clock.freeze(new Date(noon.getTime() + dayMs / 2))
    const later = await fail(referenceNumber, merchant, 'later').expect(402)
    expect(later.headers).not.to.have.property('idempotent-replayed')
  })

  it("does not limit the business's live keys or other merchants", async () => {
    const { referenceNumber } = await requestIntent(service, merchant)
    for (let made = 0; made < limit; made += 1) await fail(referenceNumber).expect(402)
    await expectRefused(fail(referenceNumber), 429, 'RATE_LIMITED')
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    for (let made = 0; made <= limit; made += 1)
      await cancelIntent(service, live, (await requestIntent(service, live)).referenceNumber)
    const other = await service.merchant()
    await fail((await requestIntent(service, other)).referenceNumber, other).expect(402)
  })
})

describe("The daily quota for the audit lines of a business's live or test keys", () => {
  const limit = 4
  const beside = withSecondProcess(service, environment)
  beforeEach(() => service.clock.freeze(noon))

  const send = (merchant: Merchant, method: 'post' | 'put' | 'delete', path: string, body?: object, from = service) =>
    from.http[method](`/api/v1/dev/webhooks/${path}`).set(merchant.write()).send(body)
  const linesOf = ({ businessId }: Merchant) =>
    service.deps.AuditEvent.countDocuments({ businessId, 'actor.kind': 'merchant' })
  const details = { scope: 'audit', limit }

  async function withEndpoint(mode: 'live' | 'test'): Promise<{ merchant: Merchant; id: string }> {
    const merchant = await service.merchant({ mode })
    const { body } = await send(merchant, 'post', 'endpoints', newEndpoint).expect(201)
    return { merchant, id: body.data.id }
  }
  const fill = async (merchant: Merchant, id: string, from = service) => {
    for (let active = false; ; active = !active)
      if ((await send(merchant, 'put', `endpoints/${id}`, { active }, from)).status === 429) return
  }

  for (const mode of ['live', 'test'] as const)
    it(`refuses every act but deletions, rotations and cancellations once it is used up with ${mode} keys, until the next day`, async () => {
      const { merchant, id } = await withEndpoint(mode)
      const delivery = await freshDelivery(service, merchant)
      const replay = { from: '2036-01-01' }
      const { body } = await send(merchant, 'post', `endpoints/${id}/replay`, replay).expect(201)
      await fill(merchant, id)
      expect(await linesOf(merchant)).to.equal(limit)
      const acts: [method: 'post' | 'put', path: string, body?: object][] = [
        ['post', 'endpoints', newEndpoint],
        ['put', `endpoints/${id}`, { url: 'https://shop.example/other' }],
        ['post', `endpoints/${id}/replay`, replay],
        ['post', `events/${delivery._id}/retry`],
        ['post', 'events/retry', { status: ['DEAD'] }],
      ]
      for (const act of acts) {
        const { headers } = await expectRefused(send(merchant, ...act), 429, 'RATE_LIMITED', { details })
        expect(headers['retry-after']).to.equal(String(12 * 60 * 60))
      }
      expect(await linesOf(merchant)).to.equal(limit)
      expect((await storedDelivery(service, delivery)).requeues).to.equal(0)
      await send(merchant, 'post', `endpoints/${id}/replay`, { ...replay, dryRun: true }).expect(200)
      const cancelled = await send(merchant, 'post', `endpoints/${id}/replays/${body.data.id}/cancel`).expect(200)
      expect(cancelled.body.data.status).to.equal('CANCELLED')
      await send(merchant, 'post', `endpoints/${id}/rotate-secret`).expect(200)
      await send(merchant, 'delete', `endpoints/${id}`).expect(200)
      expect(await linesOf(merchant)).to.equal(limit + 3)

      const other = await withAnotherKey(service, merchant, { mode: mode === 'live' ? 'test' : 'live' })
      await send(other, 'post', 'endpoints', newEndpoint).expect(201)
      await withEndpoint(mode)
      service.clock.freeze(new Date(noon.getTime() + dayMs / 2))
      await send(merchant, 'post', 'endpoints', newEndpoint).expect(201)
    })

  const lastActs: [
    what: string,
    method: 'post' | 'put',
    path: (id: string, delivery: string) => string,
    body?: object,
  ][] = [
    ['create', 'post', () => 'endpoints', newEndpoint],
    ['update', 'put', (id) => `endpoints/${id}`, { url: 'https://shop.example/other' }],
    ['replay', 'post', (id) => `endpoints/${id}/replay`, { from: '2036-01-01' }],
    ['retry of a delivery', 'post', (_id, delivery) => `events/${delivery}/retry`],
    ['retry by filter', 'post', () => 'events/retry', { status: ['DEAD'] }],
  ]
  for (const [what, method, path, body] of lastActs)
    it(`does not refuse a request again whose ${what} took the last line`, async () => {
      const { merchant, id } = await withEndpoint('live')
      const delivery = await freshDelivery(service, merchant)
      excuse([delivery._id])
      await service.deps.Delivery.updateOne(
        { _id: delivery._id },
        { status: 'DEAD', deadAt: noon, nextAttemptAt: null },
      )
      for (const active of [false, true]) await send(merchant, 'put', `endpoints/${id}`, { active }).expect(200)
      const headers = merchant.write()
      const request = () =>
        service.http[method](`/api/v1/dev/webhooks/${path(id, delivery._id)}`)
          .set(headers)
          .send(body)
      const first = await request()
      expect(first.status, first.text).to.be.oneOf([200, 201])
      await fill(merchant, id)
      if (what.startsWith('retry')) await loseResponses(service)
      const again = await request()
      expect([again.status, again.text]).to.deep.equal([first.status, first.text])
      expect(await linesOf(merchant)).to.equal(limit)
    })

  it('counts the lines of all processes, even if Redis has lost its data, but none of staff', async () => {
    const { merchant, id } = await withEndpoint('live')
    const by = { actor: { kind: 'staff', name: 'awa', from: null }, reason: 'x' } as const
    const lines = Array.from({ length: limit }, () =>
      auditLine(by, noon, { act: 'delivery.requeued', subject: 'x', businessId: merchant.businessId }),
    )
    await service.deps.AuditEvent.insertMany(lines)
    beside.clock.freeze(noon)
    await fill(merchant, id, beside)
    await deleteAllKeys(service.deps.config.redisUrl, service.deps.config.queuePrefix)
    await waitRarely('this process has counted', async () => {
      const { status } = await send(merchant, 'put', `endpoints/${id}`, { events: ['payment.created'] })
      return status === 429
    })
    // A process admits changes until its first count returns.
    expect(await linesOf(merchant)).to.be.within(limit, limit + 1)
  })

  it('counts lines through an index alone, without reading a document', async () => {
    const { merchant } = await withEndpoint('test')
    const operations = await profiled(service, async () => {
      expect((await countAuditLines(service.deps, merchant.businessId, true)).used).to.equal(1)
    })
    for (const { docsExamined } of operations.filter(({ command }) => 'aggregate' in command))
      expect(docsExamined).to.equal(0)
  })

  it('is spared by repeated rotations: those of an hour share one line', async () => {
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
