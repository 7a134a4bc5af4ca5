import { expect } from 'chai'
import * as fc from 'fast-check'
import { catalogue } from '../../src/errors.ts'
import { createIntent, subscribe } from '../support/acts.ts'
import { withMerchant, withService } from '../support/service.ts'

const intents = '/api/v1/dev/intents'
const endpoints = '/api/v1/dev/webhooks/endpoints'
const text = () => fc.string({ unit: 'binary', maxLength: 60 })
const stored = () => fc.string({ unit: 'grapheme', maxLength: 60 }).filter((each) => !each.includes('\0'))

describe('Arbitrary input', function () {
  this.timeout(60_000)
  const service = withService()
  const merchant = withMerchant(service)
  let id: string
  let paid: string
  before(async () => {

    ;({ id } = await subscribe(service, merchant, 'https://shop.example/hook'))
    paid = `${intents}/${(await createIntent(service, merchant, { amount: 1_000_000_000 })).referenceNumber}`
    await service.http.post(`${paid}/simulate-payment`).set(merchant.write()).expect(200)
  })

  const post = (path: string, body: string) => send('post', path, body)
  const send = (method: 'post' | 'put', path: string, body: string) =>
    service.http[method](path)
      .set({ ...merchant.write(), 'Content-Type': 'application/json' })
      .send(body)

  function expectEnvelope(answer: { status: number; body: Record<string, never>; text: string }) {
    expect(answer.status, answer.text).to.be.lessThan(500)
    if (answer.status < 300) return expect(answer.body).to.have.all.keys('success', 'data')
    const { success, error } = answer.body as { success?: unknown; error?: { code: keyof typeof catalogue } }
    expect(success).to.equal(false)
    expect(catalogue[error?.code as keyof typeof catalogue]?.[0], answer.text).to.equal(answer.status)
  }

  it('gets a response of the catalogue as a body, never a 5xx', () => {
    const anything = () => fc.oneof(fc.jsonValue({ maxDepth: 4 }), text(), fc.constant(null))
    const field = (right: fc.Arbitrary<unknown>) => fc.option(fc.oneof(right, anything()), { nil: undefined })
    const intent = fc.record({
      amount: field(fc.integer({ min: -2, max: 2_000_000_000 })),
      amountType: field(fc.constantFrom('FIXED', 'OPEN')),
      label: field(text()),
      metadata: field(fc.dictionary(text(), text())),
      success_url: field(fc.webUrl()),
      cancel_url: field(fc.oneof(fc.webUrl(), fc.domain())),
    })
    const endpoint = fc.record({
      url: field(fc.oneof(fc.webUrl(), fc.ipV4(), fc.domain())),
      events: field(fc.array(fc.oneof(fc.constantFrom('payment.created', 'order.new'), text()))),
      active: field(fc.boolean()),
    })
    const payment = fc.record({
      amount: field(fc.integer({ min: -2, max: 1000 })),
      payerPhone: field(fc.string({ unit: 'binary', maxLength: 15 })),
      outcome: field(fc.constantFrom('success', 'technical_error')),
      reason: field(text()),
      expectedRefundable: field(fc.integer()),
    })
    const bodies = [intent, endpoint, payment].map((each) => fc.oneof(each, anything()))
    return fc.assert(
      fc.asyncProperty(fc.tuple(...bodies), async ([asked, other, moved]) => {
        const answers = await Promise.all([
          post(intents, JSON.stringify(asked) ?? ''),
          post(`${paid}/simulate-payment`, JSON.stringify(moved) ?? ''),
          post(`${paid}/refund`, JSON.stringify(moved) ?? ''),
          post(endpoints, JSON.stringify(other) ?? ''),
          send('put', `${endpoints}/${id}`, JSON.stringify(other) ?? ''),
        ])
        answers.forEach(expectEnvelope)
      }),
      { numRuns: 100 },
    )
  })

  it('is returned as it was sent if it is valid, whatever text it holds', () => {
    const metadata = fc.dictionary(
      stored().filter((key) => key !== '' && Array.from(key).length <= 64),
      stored(),
      { maxKeys: 5 },
    )
    return fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1e9 }), stored(), metadata, async (amount, label, pairs) => {
        const sent = { amount, label, metadata: pairs }
        const created = await post(intents, JSON.stringify(sent))
        expect(created.status, created.text).to.equal(201)
        const path = `${intents}/${created.body.data.referenceNumber}`
        const read = await service.http.get(path).set(merchant.read())
        for (const { body } of [created, read])
          expect({
            amount: body.data.amount,
            label: body.data.label,
            metadata: { ...body.data.metadata },
          }).to.deep.equal({ ...sent, metadata: { ...pairs } })
      }),
      { numRuns: 60 },
    )
  })

  it('gets a response of the catalogue as a path or a query', () => {
    const known = ['status', 'from', 'to', 'page', 'limit', 'event', 'endpointId']
    const names = fc.constantFrom(...known, 'x', '__proto__', 'status[]')
    const values = fc.oneof(
      text().map(encodeWell),
      fc.constantFrom('PENDING', '2026-01-01', '1', '%', '%ff', '%00', '9'.repeat(30), '2026-01-01T00:00Z'),
    )
    const query = fc.array(fc.tuple(names, values), { maxLength: 5 })
    return fc.assert(
      fc.asyncProperty(query, values, async (pairs, segment) => {
        const search = pairs.map(([name, value]) => `${name}=${value}`).join('&')
        const answers = await Promise.all([
          service.http.get(`${intents}?${search}`).set(merchant.read()),
          service.http.get(`/api/v1/dev/webhooks?${search}`).set(merchant.read()),
          service.http.get(`/api/v1/dev/webhooks/events?${search}`).set(merchant.read()),
          service.http.get(`/api/v1/dev/webhooks/events/${segment}`).set(merchant.read()),
          service.http.post(`/api/v1/dev/webhooks/events/${segment}/retry`).set(merchant.write()),
          service.http.get(`${intents}/${segment}`).set(merchant.read()),
          service.http.post(`${intents}/${segment}/cancel`).set(merchant.write()),
          service.http.put(`${endpoints}/${segment}`).set(merchant.write()),
        ])
        answers.forEach(expectEnvelope)
      }),
      { numRuns: 100 },
    )
  })
})

/** Percent-encoding that also takes lone surrogates. */
const encodeWell = (raw: string): string => encodeURIComponent(raw.toWellFormed())
