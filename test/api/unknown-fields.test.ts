import { readJsonBody } from '../../src/http/body/json-body.ts'
import { foldName } from '../../src/input/known-fields.ts'
import { createIntent, readIntent, subscribe } from '../support/actions.ts'
import { deadDeliveries } from '../support/dead-deliveries.ts'
import { simulate } from '../support/pay.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { createProduct } from '../support/store.ts'
import { expectRefused } from './refused.ts'

const dev = '/api/v1/dev'
const url = 'https://shop.example/hook'
const csv = 'handle,name,price\ntea,Tea,1250\n'
const ways: [written: string, named?: string][] = [
  ['Amount'],
  ['AMOUNT'],
  ['amount '],
  [' amount'],
  ['_amount'],
  ['a-mount'],
  ['ａｍｏｕｎｔ'],
  ['amount\u00A0', 'amount\\u{a0}'],
  ['amount\uFEFF', 'amount\\u{feff}'],
  ['am\u200Bount', 'am\\u{200b}ount'],
  ['amo\u00ADunt', 'amo\\u{ad}unt'],
  ['amount\n', 'amount\\u{a}'],
]

describe('An unknown body field', () => {
  const { service, merchant } = withServiceAndMerchant()
  const send = (path: string, body: string | object, method: 'post' | 'put' | 'patch' = 'post') =>
    service.http[method](`${dev}${path}`).set(merchant.write()).type('json').send(body)
  const refused = async (request: ReturnType<typeof send>, param: string, nearest?: string) => {
    const { body } = await expectRefused(request, 400, 'VALIDATION_ERROR', { param })
    const [{ message }] = body.error.details as [{ message: string }]
    if (nearest !== undefined)
      expect(message).to.include(`Unknown field "${param}". Did you mean ${nearest}?`)
  }
  const stored = async () => {
    const { Intent, Replay, Delivery, Product, Endpoint, Order } = service.deps
    const models = [Intent, Replay, Delivery, Product, Endpoint, Order] as (typeof Intent)[]
    return Promise.all(
      models.map((model) => model.find({ businessId: merchant.businessId }).sort({ _id: 1 }).lean()),
    )
  }
  const fixture = { paid: '', open: '', product: '', variant: '', endpoint: '', delivery: '' }
  before(async () => {
    fixture.endpoint = (await subscribe(service, merchant, url, ['payment.created'])).id
    const [dead] = await deadDeliveries(service, merchant, 2)
    fixture.delivery = dead?._id ?? ''
    fixture.paid = (await createIntent(service, merchant)).referenceNumber
    await simulate(service, merchant, fixture.paid)
    fixture.open = (await createIntent(service, merchant, { amountType: 'OPEN' })).referenceNumber
    const product = await createProduct(service, merchant)
    Object.assign(fixture, { product: product._id, variant: product.variants[0]._id })
  })

  type Widening = {
    path: () => string
    method?: 'patch'
    good: object
    unknown: [name: string, nearest?: string][]
    /** Fields that refuse null. */
    widens: string[]
    /** Fields in which null counts as absent. */
    absent?: string[]
  }
  const widening: Record<string, Widening> = {
    'a refund': {
      path: () => `/intents/${fixture.paid}/refund`,
      good: { reason: 'x' },
      unknown: [
        ['refund_amount', 'amount'],
        ['montant', 'amount'],
        ['__proto__'],
        ['constructor'],
        ['EXPECTEDREFUNDABLE', 'expectedRefundable'],
        ['Expected‐Refundable', 'expectedRefundable'],
      ],
      widens: ['amount', 'expectedRefundable'],
      absent: ['reason'],
    },
    'a simulated payment': {
      path: () => `/intents/${fixture.open}/simulate-payment`,
      good: { amount: 500 },
      unknown: [
        ['Amount', 'amount'],
        ['payer', 'payerPhone'],
      ],
      widens: ['amount'],
      absent: ['payerPhone', 'outcome'],
    },
    'a replay': {
      path: () => `/webhooks/endpoints/${fixture.endpoint}/replay`,
      good: { from: '2020-01-01' },
      unknown: [['dry_run', 'dryRun'], ['drırun', 'dryRun'], ['event', 'events'], ['until']],
      widens: ['to', 'events', 'onlyUndelivered', 'dryRun'],
    },
    'a retry by filter': {
      path: () => '/webhooks/events/retry',
      good: { status: ['DEAD'] },
      unknown: [['endpoint_id', 'endpointId'], ['limit']],
      widens: ['event', 'endpointId', 'referenceNumber', 'responseStatus', 'from', 'to'],
      absent: ['after'],
    },
    'a change of stock': {
      path: () => `/store/products/${fixture.product}/variants/${fixture.variant}/stock`,
      method: 'patch',
      good: { delta: 3 },
      unknown: [['deltа', 'delta']],
      widens: ['stock', 'delta'],
    },
  }

  for (const [what, { path, method, good, unknown, widens, absent = [] }] of Object.entries(widening))
    it(`is refused with the closest name, unlike a null optional field: ${what}`, async () => {
      const before = await stored()
      for (const [name, nearest] of unknown)
        for (const value of ['20000', 'null', '{"amount":5}', '[]']) {
          const body = JSON.stringify(good).replace('}', `,${JSON.stringify(name)}:${value}}`)
          await refused(send(path(), body, method), name, nearest)
        }
      for (const name of widens) await refused(send(path(), { ...good, [name]: null }, method), name)
      for (const body of ['null', '"x"', '[{}]', '[[]]', '5', `[${JSON.stringify(good)}]`])
        await refused(send(path(), body, method), 'body')
      expect(await stored()).to.deep.equal(before)
      const nulls = Object.fromEntries(absent.map((name) => [name, null]))
      const { status, text } = await send(path(), { ...good, ...nulls }, method)
      expect(status, text).to.be.oneOf([200, 201])
    })

  it('is refused in a refund in every misspelling of `amount`, with a list of the known fields', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    await simulate(service, merchant, referenceNumber)
    const path = `/intents/${referenceNumber}/refund`
    for (const [written, named = written] of ways) {
      await refused(send(path, { [written]: 20_000 }), named, 'amount')
      await refused(send(path, { amount: 20_000, [written]: 10_000 }), named, 'amount')
    }
    await refused(send(path, { data: { amount: 20_000 } }), 'data')
    const { body } = await send(path, { refund: 5, sum: 5 })
    expect(body.error.details).to.have.lengthOf(2)
    expect(body.error.message).to.include('Known fields: amount, reason, expectedRefundable.')
    expect(await readIntent(service, merchant, referenceNumber)).to.include({ status: 'PAID' })
  })

  it("is refused in an import, for `dryRun` with the hint that it's a query parameter", async () => {
    const path = '/store/products/import-csv'
    const part = (name: string, content: string) =>
      `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
    const form = (...parts: string[]) =>
      service.http
        .post(`${dev}${path}`)
        .set(merchant.write())
        .type('multipart/form-data; boundary=edge')
        .send(`${parts.join('')}--edge--\r\n`)
    const before = await stored()
    for (const name of ['dryRun', 'dry_run', 'DryRun '])
      for (const request of [
        ...[true, null, 'true', false].map((value) => send(path, { csv, [name]: value })),
        form(part('file', csv), part(name, 'true')),
        form(part(name, 'true'), part('file', csv)),
      ]) {
        const { body } = await expectRefused(request, 400, 'VALIDATION_ERROR', { param: name })
        expect(body.error.message).to.include('dryRun is a query parameter.')
      }
    await refused(send(path, { csv, CSV: csv }), 'CSV', 'csv')
    await refused(form(part('file', csv), part('File', csv)), 'File', 'file')
    await refused(form(part('file', csv), part('_token', 'x')), '_token')
    await refused(form(part('file', csv), part('', 'x').replace('; name=""', '')), '')
    expect(await stored()).to.deep.equal(before)
  })

  it('is refused wherever it differs from a known name only in case or separators', async () => {
    const { product, endpoint } = fixture
    const item = { productId: product, quantity: 1 }
    const variant = { label: 'S', price: 5 }
    type Refused = [body: object, param: string, nearest: string][]
    const cases: [path: string, good: object, refused: Refused, put?: true][] = [
      [
        '/intents',
        { amount: 5 },
        [
          [{ merchant_reference: 'A' }, 'merchant_reference', 'merchantReference'],
          [{ 'METADATA\u00A0': {} }, 'METADATA\\u{a0}', 'metadata'],
          [{ successUrl: url }, 'successUrl', 'success_url'],
        ],
      ],
      [`/webhooks/endpoints/${endpoint}/test`, {}, [[{ EVENT: 'order.new' }, 'EVENT', 'event']]],
      [
        '/store/products',
        { name: 'A', variants: [variant] },
        [
          [{ Active: false }, 'Active', 'active'],
          [{ variants: [{ ...variant, S_K_U: '1' }] }, 'variants[0].S_K_U', 'sku'],
        ],
      ],
      [
        `/store/products/${product}`,
        { description: 'x' },
        [
          [{ remove_missing_variants: true }, 'remove_missing_variants', 'removeMissingVariants'],
          [{ variants: [variant, { ...variant, id: 'x' }] }, 'variants[1].id', '_id'],
        ],
        true,
      ],
      [
        '/store/orders/simulate',
        { items: [item] },
        [
          [{ items: [item, { ...item, 'variant-id': 'x' }] }, 'items[1].variant-id', 'variantId'],
          [{ customer: { Name: 'A' } }, 'customer.Name', 'name'],
          // The Kelvin sign is a K that has no case.
          [{ customer: { e_maİl: 'a@b' } }, 'customer.e_maİl', 'email'],
        ],
      ],
    ]
    for (const [path, good, faults, put] of cases) {
      const method = put ? 'put' : 'post'
      for (const [body, param, nearest] of faults)
        await refused(send(path, { ...good, ...body }, method), param, nearest)
      const unknown = '"note":1,"amount.":2,"a":{"Amount":1},"__proto__":{"amount":1},"constructor":2'
      const { status, text } = await send(
        path,
        JSON.stringify(good).replace(/^\{(?=(.?))/, (_, next) => `{${unknown}${next === '}' ? '' : ','}`),
        method,
      )
      expect(status, `${path} ${text}`).to.be.oneOf([200, 201])
    }
  })

  it('is allowed in metadata, whatever its name', async () => {
    const metadata = { Amount: '1', amount: '2', 'a mount': '3', _id: '4' }
    const { body } = await send('/intents', { amount: 5, metadata }).expect(201)
    expect(body.data.metadata).to.deep.equal(metadata)
  })

  it('costs little time, even if a body contains thousands', async () => {
    const many = `{${Array.from({ length: 20_000 }, (_, n) => `"a${n}":1`).join()},"amount":5}`
    expect(readJsonBody(Buffer.from(many), 'application/json')).to.have.property('value')
    await send('/intents', many).expect(201)
    expect((await send(`/intents/${fixture.paid}/refund`, many)).body.error.details).to.have.lengthOf(100)
    // Normalising all of it would take quadratic time.
    expect(foldName(`a${'\u0301'.repeat(90_000)}${'\u0323'.repeat(90_000)}`)).to.have.length.below(300)
  })
})

describe('A null body field', () => {
  const { service, merchant } = withServiceAndMerchant()
  const send = (path: string, body: object, method: 'post' | 'put' = 'post') =>
    service.http[method](`${dev}${path}`).set(merchant.write()).send(body)

  it('counts as absent if the field is optional', async () => {
    const none = { label: null, merchantReference: null, metadata: null, amountType: null }
    for (const empty of [null, ''] as const) {
      const urls = { success_url: empty, cancel_url: empty }
      const { body } = await send('/intents', { amount: 5, ...none, ...urls }).expect(201)
      expect(body.data).to.include({ label: null, merchantReference: null, amountType: 'FIXED' })
      expect(body.data.metadata).to.deep.equal({})
      const stored = await service.deps.Intent.findOne({ referenceNumber: body.data.referenceNumber }).lean()
      expect(stored).to.include({ successUrl: null, cancelUrl: null })
    }
    await send('/intents', { amountType: 'OPEN', amount: null, metadata: [] }).expect(201)
    await expectRefused(send('/intents', { amount: null }), 400, 'VALIDATION_ERROR', { param: 'amount' })
    const fields = { description: null, images: null, active: null, stock: null, variants: null }
    const product = (await send('/store/products', { name: 'A', price: 5, sku: 'S', ...fields }).expect(201))
      .body.data
    expect(product).to.deep.include({ description: '', images: [], active: true })
    const path = `/store/products/${product._id}`
    const kept = await send(path, { ...fields, name: null, price: null, removeMissingVariants: null }, 'put')
    expect(kept.body.data.variants).to.deep.equal(product.variants)
    expect((await send(path, { sku: null }, 'put').expect(200)).body.data.variants[0].sku).to.equal(null)
    await expectRefused(send('/store/products', { name: null, price: 5 }), 400, 'VALIDATION_ERROR', {
      param: 'name',
    })
    const item = { productId: product._id, quantity: 1, variantId: null, variantLabel: null }
    await send(path, { stock: 9 }, 'put').expect(200)
    for (const customer of [null, [], {}, { name: null, phone: null, email: null }]) {
      const order = await send('/store/orders/simulate', { items: [item], customer })
      expect(order.body.data?.customer, order.text).to.equal(null)
    }
    await send('/store/orders/simulate', { items: null, customer: null }).expect(201)
  })

  it('counts as absent in an endpoint change', async () => {
    const created = await send('/webhooks/endpoints', { url, events: ['order.new'] }).expect(201)
    const path = `/webhooks/endpoints/${created.body.data.id}`
    for (const body of [{ url: null, events: null, active: null }, []]) {
      const { body: changed } = await send(path, body, 'put').expect(200)
      expect(changed.data).to.deep.include({ url, events: ['order.new'], active: true })
    }
    for (const needy of ['/intents', '/store/products', '/webhooks/events/retry', `${path}/replay`])
      await expectRefused(send(needy, []), 400, 'VALIDATION_ERROR')
  })

  it('is ignored in a refund without an amount, which refunds everything', async () => {
    for (const body of ['', '{}', '[]', '{"reason":null}']) {
      const { referenceNumber } = await createIntent(service, merchant)
      await simulate(service, merchant, referenceNumber)
      const request = service.http.post(`${dev}/intents/${referenceNumber}/refund`).set(merchant.write())
      const refunded = await request.type('json').send(body).expect(200)
      expect(refunded.body.data.totalAmountRefunded).to.equal(50_000)
    }
  })
})
