import { randomUUID } from 'node:crypto'
import { readIntent, relay } from '../support/actions.ts'
import { refund, simulate } from '../support/pay.ts'
import { intents, type Merchant, withAnotherKey, withServiceAndMerchant } from '../support/service.ts'

const maxAmount = 500_000

describe('POST /dev/intents', () => {
  const lifetimes = { INTENT_LIFETIME_SECONDS: '3600', CODE_LIFETIME_SECONDS: '60' }
  const { service, merchant } = withServiceAndMerchant({ MAX_AMOUNT: String(maxAmount), ...lifetimes })
  let live: Merchant
  before(async () => void (live = await withAnotherKey(service, merchant, { mode: 'live' })))

  /** A string is sent as is, so it can contain what JSON.stringify never writes. */
  const create = (body: object | string, as: Merchant = merchant) =>
    service.http.post(intents).set(as.write()).type('json').send(body)

  async function created(body: object | string, as: Merchant = merchant) {
    const response = await create(body, as)
    expect(response.status, response.text).to.equal(201)
    return response.body.data
  }

  async function expectInvalid(body: object | string, code: string, param: string, as: Merchant = merchant) {
    const { text, body: response } = await create(body, as)
    const about = `${JSON.stringify(body).slice(0, 200)} → ${text.slice(0, 200)}`
    expect(response.error, about).to.include({ code, param, statusCode: 400 })
    return response.error
  }
  const stored = (referenceNumber: string) =>
    service.deps.Intent.collection.findOne({ referenceNumber }) as Promise<Record<string, unknown>>

  describe('with valid input', () => {
    it('returns 201 with exactly the documented fields', async () => {
      const before = Date.now()
      const sent = { amount: 50_000, label: 'Café', merchantReference: 'Nº 42', metadata: { order: '42' } }
      const data = await created(sent)
      const known = {
        ...sent,
        amountType: 'FIXED',
        currency: 'MRU',
        status: 'PENDING',
        sandbox: true,
        payUrl: `http://pay.localhost:3000/p/${data.shortCode}`,
        codeUrl: `http://pay.localhost:3000/sandbox/${merchant.businessId}`,
      }
      const generated = ['referenceNumber', 'shortCode', 'code', 'codeExpiresAt', 'expiresAt', 'createdAt']
      expect(data).to.have.all.keys(...generated, ...Object.keys(known))
      expect(data).to.deep.include(known)
      expect(data.referenceNumber).to.match(/^PI-\w{8,}$/)
      expect(data.shortCode).to.match(/^[0-9A-Za-z]{6}$/)
      expect(data.code).to.match(/^\d{6}$/)
      const createdAt = Date.parse(data.createdAt)
      expect(createdAt).to.be.within(before, Date.now())
      expect(Date.parse(data.expiresAt)).to.equal(createdAt + 3_600_000)
      expect(Date.parse(data.codeExpiresAt)).to.equal(createdAt + 60_000)
      for (const at of [data.createdAt, data.expiresAt, data.codeExpiresAt])
        expect(new Date(at).toISOString()).to.equal(at)
    })

    it('returns null or empty values for omitted fields', async () => {
      const omitted = { label: null, merchantReference: null, metadata: {} }
      const codeUrl = 'http://pay.localhost:3000/'
      expect(await created({ amount: 1 }, live)).to.deep.include({ ...omitted, codeUrl, sandbox: false })
    })

    it('accepts amounts from 1 to the configured maximum, in any JSON notation of an integer', async () => {
      for (const amount of [1, maxAmount]) expect((await created({ amount })).amount).to.equal(amount)
      for (const text of ['5.0', '5e0', '0.5e1'])
        expect((await created(`{"amount":${text}}`)).amount).to.equal(5)
    })

    it('returns a null amount for an OPEN intent, with or without a suggested amount', async () => {
      expect(await created({ amountType: 'OPEN' })).to.include({ amount: null, amountType: 'OPEN' })
      const suggested = await created({ amountType: 'OPEN', amount: 700 })
      expect(suggested.amount).to.equal(null)
      expect(await stored(suggested.referenceNumber)).to.include({ amount: 700 })
      expect((await readIntent(service, merchant, suggested.referenceNumber)).amount).to.equal(null)
    })

    it('returns labels of up to 200 code points unchanged', async () => {
      const labels = ['💰'.repeat(200), 'é'.normalize('NFD'), ' ', '', '<b>"\\\u2028', 'ﷺ', '$gt']
      for (const label of labels) expect((await created({ amount: 1, label })).label).to.equal(label)
    })

    it('neither stores nor returns unknown fields', async () => {
      const known = await stored((await created({ amount: 1 })).referenceNumber)
      const unknown = '"$where":1,"status":"PAID","businessId":"x","sandbox":false,"__proto__":{"label":"x"}'
      const data = await created(`{"amount":1,${unknown},"success":"x"}`)
      expect(data).to.include({ status: 'PENDING', sandbox: true, label: null })
      const kept = await stored(data.referenceNumber)
      expect(kept).to.have.all.keys(Object.keys(known))
      expect(kept).to.include({ businessId: merchant.businessId, successUrl: null })
    })
  })

  describe('with metadata', () => {
    const keeps = async (metadata: string) => {
      const data = await created(`{"amount":1,"metadata":${metadata}}`)
      expect(JSON.stringify(data.metadata)).to.equal(metadata)
      const { text } = await service.http.get(`${intents}/${data.referenceNumber}`).set(merchant.read())
      expect(text).to.include(`"metadata":${metadata}`)
    }
    it('keeps keys such as a.b, $x, __proto__ and constructor', async () => {
      await keeps('{"a.b":"1","$x":"2","__proto__":"3","constructor":"4","toString":"5"}')
      await keeps('{"$set":"{}",".":"","a..b":"\\u0001","é💰":"x","_id":"1"}')
    })
    it('keeps an empty object', () => keeps('{}'))
    it('accepts 50 keys of 255 code points with values of 500 code points and returns them unchanged', async () => {
      for (const character of ['💰', '\u0001']) {
        const pairs = Array.from({ length: 50 }, (_, n) => [
          String.fromCodePoint(0x1f600 + n) + character.repeat(254),
          character.repeat(500),
        ])
        const metadata = Object.fromEntries(pairs)
        const input = { amount: 1000, label: '💰'.repeat(200), merchantReference: randomUUID(), metadata }
        const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
        const body = JSON.stringify(input).replaceAll(/[^ -~]/g, escape)
        expect(body.length).to.be.above(character === '💰' ? 453_000 : 226_000)
        const { referenceNumber } = await created(body)
        await simulate(service, merchant, referenceNumber)
        const refunded = await refund(service, merchant, referenceNumber, 1)
        const get = async (url: string) =>
          (await service.http.get(`/api/v1/dev${url}`).set(merchant.read()).expect(200)).body.data
        await relay(service, merchant)
        const events = await get(`/events?referenceNumber=${referenceNumber}`)
        const feed = await get('/events/feed?limit=100')
        const copies = [refunded.body.data, await readIntent(service, merchant, referenceNumber)]
        copies.push((await get('/intents?limit=1')).items[0])
        const isOwn = (item: { referenceNumber: string }) => item.referenceNumber === referenceNumber
        for (const { body: event } of [...events.items, feed.items.findLast(isOwn)]) copies.push(event.data)
        expect(copies).to.have.length(7)
        for (const copy of copies) expect(copy.metadata).to.deep.equal(metadata)
      }
    })
  })

  describe('with redirect URLs', () => {
    it('keeps absolute https URLs', async () => {
      const accepted = [
        'https://shop.example/back?a=1#b',
        'HTTPS://SHOP.EXAMPLE',
        'https://shop.example:8443/é',
        'https://xn--mnchen-3ya.xn--p1ai',
      ]
      const longest = ['x', '💰'].map((character) => `https://shop.example/${character.repeat(2027)}`)
      for (const url of [...accepted, ...longest])
        for (const as of [merchant, live]) {
          const { referenceNumber } = await created({ amount: 1, success_url: url, cancel_url: url }, as)
          expect(await stored(referenceNumber)).to.include({ successUrl: url, cancelUrl: url })
        }
    })
    it('accepts http URLs on localhost, but only with a test key', async () => {
      const body = { amount: 1, success_url: 'http://localhost:4000/back' }
      await created(body)
      await expectInvalid(body, 'INVALID_REDIRECT_URL', 'success_url', live)
    })
  })

  describe('with invalid input', () => {
    let intentsBefore: number
    beforeEach(async () => void (intentsBefore = await service.deps.Intent.countDocuments()))
    afterEach(async () => expect(await service.deps.Intent.countDocuments()).to.equal(intentsBefore))
    const types = ['FIXED', 'OPEN']
    const amounts = (...values: string[]) =>
      values.flatMap((amount) => types.map((type) => `{"amount":${amount},"amountType":"${type}"}`))
    const inField = (name: string, ...values: string[]) =>
      values.map((value) => `{"amount":1,"${name}":${value}}`)
    const keys51 = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, '']))
    const value501 = { amount: 1, metadata: { a: 'x', b: '💰'.repeat(501) } }
    const shapes = [
      ['[[]]', '["x"]', '"x"', '5', '{"":"x"}', `{"${'x'.repeat(256)}":"x"}`, `{"${'💰'.repeat(256)}":""}`],
      ['{"a":5}', '{"a":null}', '{"a":true}', '{"a":{"b":"c"}}', '{"a":["b"]}', '{"__proto__":{"a":"b"}}'],
      ['{"a\\u0000":"x"}', '{"\\ud800":"x"}', '{"a":"\\u0000"}', '{"a":"\\udfff"}'],
    ].flat()
    const unstorable = ['"\\ud83d"', '"a\\udc00b"', '"a\\u0000b"', '5', '["x"]', '{}']
    const noIntegers = ['1.5', '"5"', 'true', '[5]', '{"$gt":0}', '1e-7']
    const outside = ['0', '-0', '-1', String(maxAmount + 1), '9007199254740993', '1e300']
    const others = ['"open"', '"FREE"', '""', '1', '["OPEN"]']
    const invalid: [code: string, param: string, what: string, bodies: (object | string)[]][] = [
      ['VALIDATION_ERROR', 'body', 'a body that is not an object', ['[]', 'null', '5', '"x"', 'true']],
      ['VALIDATION_ERROR', 'amount', 'a missing amount', [{}, { amountType: 'FIXED' }, { amount: null }]],
      ['VALIDATION_ERROR', 'amount', 'an amount that is not an integer', amounts(...noIntegers)],
      ['AMOUNT_OUT_OF_RANGE', 'amount', 'an amount below 1 or above the maximum', amounts(...outside)],
      ['AMOUNT_OUT_OF_RANGE', 'amount', 'an amount too large for a JavaScript number', ['{"amount":1e400}']],
      ['INVALID_AMOUNT_TYPE', 'amountType', 'any other amountType', inField('amountType', ...others)],
      ['LABEL_TOO_LONG', 'label', 'a label of 201 code points', inField('label', `"${'💰'.repeat(201)}"`)],
      ['VALIDATION_ERROR', 'label', 'a label that cannot be stored', inField('label', ...unstorable)],
      ['METADATA_TOO_MANY_KEYS', 'metadata', 'metadata with 51 keys', [{ amount: 1, metadata: keys51 }]],
      ['METADATA_VALUE_TOO_LONG', 'metadata', 'a value of 501 code points', [value501]],
      ['INVALID_METADATA', 'metadata', 'metadata of any other invalid form', inField('metadata', ...shapes)],
    ]
    for (const [code, param, what, bodies] of invalid)
      it(`returns ${code} for ${what}`, async () => {
        for (const body of bodies) await expectInvalid(body, code, param)
      })

    it('returns INVALID_REDIRECT_URL for anything but an absolute https URL', async () => {
      const long = ['x', '💰'].map((character) => `https://shop.example/${character.repeat(2028)}`)
      const urls: unknown[] = [
        ['/back', '//shop.example', 'shop.example', 'https:', 'https://', 'https:/shop.example', ...long],
        ['http://shop.example', 'http://localhost.shop.example', 'javascript:alert(1)', 'ftp://shop.example'],
        ['data:text/html,x', 'https://user@shop.example', 'https://user:pass@shop.example'],
        ['https://@shop.example', 'https://shop.example/\u0000', 'https://shop.example/\ud800'],
        ['https://xn--a.com', 'https://shop.XN--0', 'https://xn--a-ecp.ru:8443/x'],
        ['https://shop.example/a\r\nSet-Cookie: a=b', 'https://sh\top.example/', ' https://shop.example'],
        [5, ['https://shop.example']],
      ].flat()
      for (const [index, url] of urls.entries()) {
        const field = index % 2 === 0 ? 'success_url' : 'cancel_url'
        await expectInvalid({ amount: 1, [field]: url }, 'INVALID_REDIRECT_URL', field)
      }
    })

    it('lists every invalid field in details and returns the error code of the field that is documented first', async () => {
      const urls = { cancel_url: 'x', success_url: 'y' }
      const faulty = { ...urls, metadata: { a: 1 }, label: 'x'.repeat(201), amountType: 'FREE', amount: 0 }
      const codes = {
        amount: 'AMOUNT_OUT_OF_RANGE',
        amountType: 'INVALID_AMOUNT_TYPE',
        label: 'LABEL_TOO_LONG',
        metadata: 'INVALID_METADATA',
        success_url: 'INVALID_REDIRECT_URL',
        cancel_url: 'INVALID_REDIRECT_URL',
      }
      const { details } = await expectInvalid(faulty, 'AMOUNT_OUT_OF_RANGE', 'amount')
      const found = details.map((fault: Record<string, string>) => [fault.param, fault.code])
      expect(found).to.deep.equal(Object.entries(codes))
      for (const fault of details) expect(fault.message).to.match(/\w/)
    })

    it('keeps the error short even if the request body is long', async () => {
      const metadata = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, n]))
      expect((await create({ amount: 1, metadata }).expect(400)).text.length).to.be.lessThan(20_000)
    })
  })

  it('gives concurrent intents unique references, short codes and payment codes', async () => {
    const many = await Promise.all(Array.from({ length: 30 }, () => created({ amount: 1 })))
    for (const field of ['referenceNumber', 'shortCode', 'code'])
      expect(new Set(many.map((data) => data[field])), field).to.have.property('size', many.length)
    expect(new Set(many.map(({ code }) => code[0])).size).to.be.greaterThan(5)
    for (const { shortCode } of many) expect(shortCode).not.to.match(/[0O1Il]/)
  })
})
