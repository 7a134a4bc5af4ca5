import { expect } from 'chai'
import { countLiveCodes } from '../../src/quotas/live-codes.ts'
import { countSandboxDay } from '../../src/quotas/sandbox-day.ts'
import { countSandboxResponses } from '../../src/quotas/sandbox-responses.ts'
import { readable, signedIn } from '../admin/staff.ts'
import { cancelIntent, changeAsOperator, createIntent, openBeside } from '../support/acts.ts'
import { asMerchant, type House, type Merchant, openHouse } from '../support/house.ts'
import { csvOf, postCsv, storedProducts } from '../support/imports.ts'
import { profiled } from '../support/profiled.ts'
import { createProduct } from '../support/store.ts'
import { until } from '../support/until.ts'
import { expectRefused } from './refused.ts'

const intents = '/api/v1/dev/intents'
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const create = (house: House, merchant: Merchant, idempotencyKey?: string) =>
  house.http.post(intents).set(merchant.write(idempotencyKey)).send({ amount: 500 })
const intentsOf = (house: House, { businessId }: Merchant) => house.deps.Intent.countDocuments({ businessId })
const claims = (house: House) => house.deps.Claim.countDocuments({ answer: { $exists: true } })

describe('The live payment codes of a business', () => {
  const limit = 3
  let house: House
  let beside: House
  before(async () => {
    const environment = { LIVE_CODES_PER_BUSINESS: String(limit), TRUST_PROXY: '1' }
    house = await openHouse(environment)
    beside = await openBeside(house, environment)
  })
  after(async () => {
    await beside.close()
    await house.close()
  })

  /** A live merchant with all its codes in use. */
  async function fullMerchant(): Promise<Merchant> {
    const merchant = await house.merchant({ mode: 'live' })
    for (let made = 0; made < limit; made += 1) await createIntent(house, merchant)
    return merchant
  }

  it('are limited, and no other merchant and no test key is affected', async () => {
    const merchant = await fullMerchant()
    const before = await claims(house)
    const { status, headers, body } = await create(house, merchant)
    expect([status, body.error.code, body.error.details]).to.deep.equal([
      429,
      'RATE_LIMITED',
      { scope: 'codes', limit },
    ])
    // No payment ends by itself for a day. One that is cancelled now frees its code in 15 minutes.
    expect(headers['retry-after']).to.equal('900')
    expect(await intentsOf(house, merchant)).to.equal(limit)
    expect(await claims(house)).to.equal(before)

    const tests = asMerchant(merchant.businessId, await house.key(merchant.businessId))
    await create(house, tests).expect(201)
    await create(house, await house.merchant({ mode: 'live' })).expect(201)
  })

  it('are limited when all creates come at once', async () => {
    const merchant = await house.merchant({ mode: 'live' })
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(house, merchant)))
    expect(answers.filter(({ status }) => status === 201)).to.have.length(limit)
    expect(await intentsOf(house, merchant)).to.equal(limit)
  })

  it('are not needed to replay a stored response, and a refused create succeeds later with the same key', async () => {
    const merchant = await house.merchant({ mode: 'live' })
    const first = await create(house, merchant, 'first').expect(201)
    for (let made = 1; made < limit; made += 1) await createIntent(house, merchant)
    await expectRefused(create(house, merchant, 'later'), 429, 'RATE_LIMITED')
    const replayed = await create(house, merchant, 'first').expect(201)
    expect(replayed.body).to.deep.equal(first.body)
    await changeAsOperator(house, merchant.businessId, { limits: { liveCodes: limit + 1 } })
    const later = await create(house, merchant, 'later').expect(201)
    expect(later.headers).not.to.have.property('idempotent-replayed')
  })

  it('count while they rest, and are free again 15 minutes after a cancel', async () => {
    const merchant = await house.merchant({ mode: 'live' })
    const { referenceNumber } = await createIntent(house, merchant)
    for (let made = 1; made < limit; made += 1) await createIntent(house, merchant)
    await cancelIntent(house, merchant, referenceNumber)
    house.clock.advance(10 * minuteMs)
    // The refusal may go by a count from the second before the cancel.
    const resting = await until('the cancel is counted', async () => {
      const refused = await create(house, merchant)
      return refused.headers['retry-after'] !== '900' && refused
    })
    expect(resting.status).to.equal(429)
    expect(Number(resting.headers['retry-after'])).to.be.within(290, 300)
    house.clock.advance(5 * minuteMs)
    await until('a code is free', async () => (await create(house, merchant)).status === 201)
    await expectRefused(create(house, merchant), 429, 'RATE_LIMITED')
  })

  it('are counted across all processes', async () => {
    const merchant = await house.merchant({ mode: 'live' })
    await createIntent(house, merchant)
    await createIntent(beside, merchant)
    await until('both processes refuse', async () => {
      const answers = await Promise.all([create(house, merchant), create(beside, merchant)])
      return answers.every(({ status }) => status === 429)
    })
    // A process admits all creates until its first count returns.
    expect(await intentsOf(house, merchant)).to.be.within(limit, limit + 2)
  })

  it('are counted from an index alone, without reading a document', async () => {
    const merchant = await fullMerchant()
    const operations = await profiled(house, async () => {
      await countLiveCodes(house.deps, [merchant.businessId])
      await countSandboxDay(house.deps, [merchant.businessId])
      await countSandboxResponses(house.deps, [merchant.businessId])
    })
    const counts = operations.filter(({ command }) => 'aggregate' in command)
    expect(counts.map(({ planSummary }) => String(planSummary).split(' ')[0])).to.include('IXSCAN')
    for (const { docsExamined } of counts) expect(docsExamined).to.equal(0)
  })

  it('are limited from the next create on when the limit of the business is lowered', async () => {
    const merchant = await house.merchant({ mode: 'live' })
    await changeAsOperator(house, merchant.businessId, { limits: { liveCodes: 10 } })
    for (let made = 0; made < 5; made += 1) await createIntent(house, merchant)
    await changeAsOperator(house, merchant.businessId, { limits: { liveCodes: 5 } })
    const { body } = await create(house, merchant)
    expect(body.error.details).to.deep.equal({ scope: 'codes', limit: 5 })
    await changeAsOperator(house, merchant.businessId, { limits: { liveCodes: null } })
    await expectRefused(create(house, merchant), 429, 'RATE_LIMITED')
  })
})

describe('The daily quota of the test keys of a business', () => {
  const limit = 5
  const noon = new Date('2026-03-01T12:00:00.000Z')
  let house: House
  before(async () => {
    house = await openHouse({ SANDBOX_INTENTS_PER_DAY: String(limit) })
  })
  after(() => house.close())
  beforeEach(() => house.clock.freeze(noon))

  const order = (merchant: Merchant) =>
    house.http.post('/api/v1/dev/store/orders/simulate').set(merchant.write()).send({})
  const product = (merchant: Merchant) =>
    house.http.post('/api/v1/dev/store/products').set(merchant.write()).send({ name: 'Thé', price: 1 })
  const endpoint = (merchant: Merchant) =>
    house.http
      .post('/api/v1/dev/webhooks/endpoints')
      .set(merchant.write())
      .send({ url: 'https://shop.example/hook', events: ['payment.created'] })

  it('counts intents, orders, products and endpoints together, including deleted ones', async () => {
    const merchant = await house.merchant()
    const { _id: id } = await createProduct(house, merchant)
    await order(merchant).expect(201)
    const { body } = await endpoint(merchant).expect(201)
    await createIntent(house, merchant)
    await createProduct(house, merchant)
    await house.http
      .delete(`/api/v1/dev/webhooks/endpoints/${body.data.id}`)
      .set(merchant.write())
      .expect(200)
    await house.http.delete(`/api/v1/dev/store/products/${id}`).set(merchant.write()).expect(200)
    for (const make of [order, product, endpoint, (as: Merchant) => create(house, as)]) {
      const { status, headers, body: refused } = await make(merchant)
      expect([status, refused.error.code, refused.error.details]).to.deep.equal([
        429,
        'RATE_LIMITED',
        { scope: 'sandbox', limit },
      ])
      expect(headers['retry-after']).to.equal(String(12 * 60 * 60))
    }
    expect(await intentsOf(house, merchant)).to.equal(1)
    await house.http.get(intents).set(merchant.read()).expect(200)
  })

  it('begins anew with each UTC day', async () => {
    const merchant = await house.merchant()
    for (let made = 0; made < limit; made += 1) await createIntent(house, merchant)
    house.clock.freeze(new Date(noon.getTime() + dayMs / 2 - 1))
    const late = await create(house, merchant)
    expect([late.status, late.headers['retry-after']]).to.deep.equal([429, '1'])
    house.clock.freeze(new Date(noon.getTime() + dayMs / 2))
    for (let made = 0; made < limit; made += 1) await createIntent(house, merchant)
    await expectRefused(create(house, merchant), 429, 'RATE_LIMITED')
  })

  it('does not limit live keys or other merchants', async () => {
    const merchant = await house.merchant()
    for (let made = 0; made < limit; made += 1) await createIntent(house, merchant)
    await expectRefused(create(house, merchant), 429, 'RATE_LIMITED')
    const live = asMerchant(merchant.businessId, await house.key(merchant.businessId, { mode: 'live' }))
    await create(house, live).expect(201)
    await create(house, await house.merchant()).expect(201)
  })

  it('does not include what live keys created', async () => {
    const merchant = await house.merchant()
    const live = asMerchant(merchant.businessId, await house.key(merchant.businessId, { mode: 'live' }))
    await endpoint(live).expect(201)
    await create(house, live).expect(201)
    for (let made = 0; made < limit; made += 1) await createIntent(house, merchant)
    await expectRefused(create(house, merchant), 429, 'RATE_LIMITED')
  })

  it('is the limit of the business if one is set, and 0 means no limit', async () => {
    const merchant = await house.merchant()
    await changeAsOperator(house, merchant.businessId, { limits: { sandboxIntentsPerDay: 1 } })
    await createIntent(house, merchant)
    await expectRefused(create(house, merchant), 429, 'RATE_LIMITED')
    await changeAsOperator(house, merchant.businessId, { limits: { sandboxIntentsPerDay: 0 } })
    for (let made = 0; made < limit; made += 1) await createIntent(house, merchant)
  })

  it('refuses an import as a whole if too few are left for its new products, and accepts one that only changes products', async () => {
    const merchant = await house.merchant()
    const csv = (price: number, ...handles: string[]) =>
      csvOf('handle,name,price', ...handles.map((handle) => `${handle},${handle},${price}`))
    await postCsv(house, merchant, csv(1, 'a', 'b', 'c')).expect(200)
    await expectRefused(postCsv(house, merchant, csv(1, 'd', 'e', 'f')), 429, 'RATE_LIMITED')
    expect((await storedProducts(house, merchant)).map(({ handle }) => handle)).to.deep.equal(['a', 'b', 'c'])
    await postCsv(house, merchant, csv(1, 'd', 'e')).expect(200)
    await postCsv(house, merchant, csv(2, 'a', 'b', 'c', 'd', 'e')).expect(200)
    await postCsv(house, merchant, csv(1, 'f'), { query: '?dryRun=true' }).expect(200)
    await expectRefused(postCsv(house, merchant, csv(1, 'f')), 429, 'RATE_LIMITED')
  })

  it('is shown on the page of the business, with what is left', async () => {
    const merchant = await house.merchant()
    await createIntent(house, merchant)
    await changeAsOperator(house, merchant.businessId, { limits: { perSecond: 250 } })
    const staff = await signedIn(house, 'viewer')
    const { text } = await staff.get(`/admin/businesses/${merchant.businessId}`)
    const page = readable(text)
    expect(page).to.include('250 requests a second for each key (its own limit)')
    expect(page).to.include('0 of 20 000 used, 20 000 left')
    expect(page).to.include('1 of 5 used, 4 left')
  })
})

describe('The responses stored in a day for the test keys of a business', () => {
  const limit = 2 * 2
  const noon = new Date('2026-03-01T12:00:00.000Z')
  let house: House
  let merchant: Merchant
  before(async () => {
    house = await openHouse({ SANDBOX_INTENTS_PER_DAY: String(limit / 2) })
  })
  after(() => house.close())
  beforeEach(async () => {
    house.clock.freeze(noon)
    merchant = await house.merchant()
  })

  const fail = (referenceNumber: string, as = merchant, idempotencyKey?: string) =>
    house.http
      .post(`${intents}/${referenceNumber}/simulate-payment`)
      .set(as.write(idempotencyKey))
      .send({ outcome: 'insufficient_funds' })
  const eventsOf = async ({ businessId }: Merchant) =>
    (await house.deps.Intent.find({ businessId }).lean()).flatMap(({ outbox }) => outbox).length

  it('are limited, and a refused write has no effect and causes no event', async () => {
    const { referenceNumber } = await createIntent(house, merchant)
    for (let made = 0; made < limit; made += 1) await fail(referenceNumber).expect(402)
    const [before, events] = [await claims(house), await eventsOf(merchant)]
    const { status, headers, body } = await fail(referenceNumber)
    expect([status, body.error.code, body.error.details]).to.deep.equal([
      429,
      'RATE_LIMITED',
      { scope: 'sandbox', limit },
    ])
    expect(headers['retry-after']).to.equal(String(12 * 60 * 60))
    expect([await claims(house), await eventsOf(merchant)]).to.deep.equal([before, events])
    await house.http.get(`${intents}/${referenceNumber}`).set(merchant.read()).expect(200)
  })

  it('include changes, endpoint tests and refused creates, but not successful creates', async () => {
    const { referenceNumber } = await createIntent(house, merchant)
    await createIntent(house, merchant)
    await house.http.post(intents).set(merchant.write()).send({ amount: -1 }).expect(400)
    await cancelIntent(house, merchant, referenceNumber)
    await house.http.post('/api/v1/dev/webhooks/endpoints/none/test').set(merchant.write()).expect(404)
    await house.http
      .patch('/api/v1/dev/store/products/none/variants/none/stock')
      .set(merchant.write())
      .send({ delta: 1 })
      .expect(404)
    await expectRefused(cancelIntent(house, merchant, referenceNumber), 429, 'RATE_LIMITED')
  })

  it('include deletions, so that creating and deleting endpoints in a loop ends', async () => {
    const endpoints = '/api/v1/dev/webhooks/endpoints'
    for (let made = 0; made < limit; made += 1)
      await house.http.delete(`${endpoints}/none`).set(merchant.write()).expect(404)
    const endpoint = { url: 'https://shop.example/hook', events: ['payment.created'] }
    const again = house.http.post(endpoints).set(merchant.write()).send(endpoint)
    await expectRefused(again, 429, 'RATE_LIMITED')
  })

  it('are replayed when the quota is used up, and a refused write succeeds on the next day with the same key', async () => {
    const { referenceNumber } = await createIntent(house, merchant)
    const first = await fail(referenceNumber, merchant, 'first').expect(402)
    for (let made = 1; made < limit; made += 1) await fail(referenceNumber).expect(402)
    await expectRefused(fail(referenceNumber, merchant, 'later'), 429, 'RATE_LIMITED')
    const replayed = await fail(referenceNumber, merchant, 'first').expect(402)
    expect(replayed.body).to.deep.equal(first.body)
    house.clock.freeze(new Date(noon.getTime() + dayMs / 2))
    const later = await fail(referenceNumber, merchant, 'later').expect(402)
    expect(later.headers).not.to.have.property('idempotent-replayed')
  })

  it('do not limit live keys or other merchants', async () => {
    const { referenceNumber } = await createIntent(house, merchant)
    for (let made = 0; made < limit; made += 1) await fail(referenceNumber).expect(402)
    await expectRefused(fail(referenceNumber), 429, 'RATE_LIMITED')
    const live = asMerchant(merchant.businessId, await house.key(merchant.businessId, { mode: 'live' }))
    for (let made = 0; made <= limit; made += 1)
      await cancelIntent(house, live, (await createIntent(house, live)).referenceNumber)
    const other = await house.merchant()
    await fail((await createIntent(house, other)).referenceNumber, other).expect(402)
  })
})
