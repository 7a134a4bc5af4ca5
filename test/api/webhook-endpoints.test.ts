import { eventScopes as eventSchemas } from '../../schemas/events.ts'
import { type ApiScope, apiScopes } from '../../schemas/scopes.ts'
import { judgeWebhookUrl } from '../../src/input/webhook-url.ts'
import { type Merchant, withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'
import { acceptedHosts, refusedHosts } from '../webhooks/hosts.ts'
import { expectRefused } from './refused.ts'

const path = '/api/v1/dev/webhooks/endpoints'
const allEvents = Object.keys(eventSchemas)

describe('The webhook endpoint API', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  const good = { url: 'https://shop.example/hook', events: ['payment.created'] }
  const create = (body: unknown = good, as = merchant, key?: string) =>
    service.http.post(path).set(as.write(key)).type('json').send(JSON.stringify(body))
  const list = (query = '', as = merchant) => service.http.get(`/api/v1/dev/webhooks${query}`).set(as.read())
  const count = (as = merchant) => service.deps.Endpoint.countDocuments({ businessId: as.businessId })
  const expectInvalid = (body: unknown, code: string, param: string) =>
    expectRefused(create(body), 400, code, { param })

  describe('on POST /dev/webhooks/endpoints', () => {
    it('returns 201 with id, url, events, active and a new secret, which is stored encrypted', async () => {
      const url = 'https://shop.example/hook?a=1'
      const { body } = await create({ url, events: [...allEvents, ...allEvents] }).expect(201)
      expect(body.data).to.include({ url, active: true })
      expect(body.data.events).to.deep.equal(allEvents)
      expect(body.data.secret).to.match(/^[\da-f]{64}$/)
      expect(body.data.id).to.match(/^\w+$/)
      expect((await create()).body.data.secret).not.to.equal(body.data.secret)
      const stored = await service.deps.Endpoint.find({ businessId: merchant.businessId }).lean()
      expect(JSON.stringify(stored)).not.to.include(body.data.secret)
    })

    it('ignores unknown fields', async () => {
      const unknown = { secret: 'x', id: 'x', businessId: 'x', slot: 9 }
      const { body } = await create({ ...good, active: false, ...unknown })
      expect(body.data).to.include({ active: true })
      expect(body.data.secret).to.match(/^[\da-f]{64}$/)
      expect(await count()).to.equal(1)
    })
  })

  describe('on POST /dev/webhooks/endpoints with invalid input', () => {
    afterEach(async () => expect(await count()).to.equal(0))

    it('stores nothing and returns VALIDATION_ERROR if the URL or the events are missing', async () => {
      await expectInvalid({}, 'VALIDATION_ERROR', 'url')
      await expectInvalid({ url: good.url }, 'VALIDATION_ERROR', 'events')
      for (const events of [[], null, 'payment.created', {}])
        await expectInvalid({ ...good, events }, 'VALIDATION_ERROR', 'events')
      for (const event of [5, null, ['payment.created'], {}])
        await expectInvalid({ ...good, events: ['payment.created', event] }, 'VALIDATION_ERROR', 'events[1]')
      for (const body of [[], null, 'x', 5]) await expectInvalid(body, 'VALIDATION_ERROR', 'body')
    })

    it('stores nothing and returns INVALID_WEBHOOK_URL if the URL is not a public https URL', async () => {
      const hosts = ['localhost', '127.0.0.1', '[::1]', '8.8.8.8', '0x7f.1', 'printer.local', 'intranet']
      const malformed = [
        'http://shop.example/hook',
        'shop.example/hook',
        'https://shop.example/ x',
        '',
        null,
        5,
      ]
      for (const url of [...malformed, ...hosts.map((host) => `https://${host}/hook`)])
        await expectInvalid({ ...good, url }, 'INVALID_WEBHOOK_URL', 'url')
    })

    it('stores nothing and returns INVALID_WEBHOOK_EVENT if an event is unknown', async () => {
      for (const event of ['payment.paid', 'PAYMENT.CREATED', '', 'payment.*', '*', '__proto__', 'toString'])
        await expectInvalid({ ...good, events: ['order.new', event] }, 'INVALID_WEBHOOK_EVENT', 'events[1]')
    })

    it("stores nothing and lists all errors, beginning with the URL's", async () => {
      const { body } = await create({ url: 'http://x', events: ['nope'] }).expect(400)
      expect(body.error).to.include({ code: 'INVALID_WEBHOOK_URL', param: 'url' })
      const faults = body.error.details.map((fault: { code: string }) => fault.code)
      expect(faults).to.deep.equal(['INVALID_WEBHOOK_URL', 'INVALID_WEBHOOK_EVENT'])
      expect(body.error.details[1].message).to.match(
        /^events\[\d\] must be one of payment\.created, .*endpoint\.failing\.$/,
      )
    })
  })

  it(`accepts a host that may be public, in any script, and refuses ${refusedHosts.length} that may be private`, () => {
    const isAccepted = (host: string) => 'url' in judgeWebhookUrl(`https://${host}/hooks`, new Set())
    expect(refusedHosts.length).to.be.at.least(400)
    expect(refusedHosts.filter(isAccepted)).to.deep.equal([])
    expect(acceptedHosts.filter(isAccepted)).to.deep.equal(acceptedHosts)
  })

  it("returns 403 EVENTS_NOT_PERMITTED listing the events outside the key's scopes", async () => {
    const withOnly = (...scopes: ApiScope[]) =>
      service.merchant({ scopes: ['webhooks.endpoints:write', ...scopes] })
    const payments = await withOnly('payments.intents:read')
    const orders = await withOnly('store.orders:read')
    const excluded: ApiScope[] = ['payments.intents:read', 'store.orders:read']
    const neither = await service.merchant({ scopes: apiScopes.filter((scope) => !excluded.includes(scope)) })
    const order = ['order.new']
    const payment = allEvents.filter((event) => event.startsWith('payment.'))
    const cases: [Merchant, string[], string[]][] = [
      [payments, payment, []],
      [payments, order, order],
      [payments, ['payment.created', 'order.new'], order],
      [orders, order, []],
      [orders, allEvents, allEvents.filter((event) => event !== 'order.new')],
      [neither, ['payment.created', 'order.new'], ['payment.created', 'order.new']],
    ]
    for (const [as, events, missing] of cases) {
      const request = create({ ...good, events }, as)
      if (missing.length === 0) await request.expect(201)
      else {
        const { body } = await expectRefused(request, 403, 'EVENTS_NOT_PERMITTED', { param: 'events' })
        expect(body.error.details.events).to.have.members(missing)
      }
    }
    expect(await count(neither)).to.equal(0)
  })

  describe('on GET /dev/webhooks', () => {
    it('returns endpoints newest first, with statistics for the last 24 hours and without secrets', async () => {
      service.clock.freeze(new Date())
      const made: Record<string, unknown>[] = []
      for (const name of ['a', 'b', 'c']) {
        const { body } = await create({ ...good, url: `https://${name}.example/` })
        const { secret: _, standardSecret: _standard, ...shown } = body.data
        const last24Hours = { attempts: 0, succeeded: 0, successRate: null, lastError: null }
        made.push({ ...shown, last24Hours })
        service.clock.advance(1000)
      }
      const { body, text } = await list()
      expect(body.data.items).to.deep.equal([made[2], made[1], made[0]])
      expect(text).not.to.match(/secret/i)
      const second = await list('?page=2&limit=2')
      const [oldest] = made
      expect(second.body.data).to.deep.equal({ items: [oldest], page: 2, limit: 2, total: 3, hasMore: false })
      expect((await list('?limit=2')).body.data).to.deep.include({ total: 3, hasMore: true })
      service.clock.freeze(null)
    })

    it("returns the endpoints of the key's environment, or test endpoints to a live key with sandbox=true", async () => {
      const live = await withAnotherKey(service, merchant, { mode: 'live' })
      const [ofTest, ofLive] = [await create(), await create(good, live)].map(({ body }) => body.data)
      expect([ofTest.sandbox, ofLive.sandbox]).to.deep.equal([true, false])
      const ids = async (query: string, as = live) =>
        (await list(query, as).expect(200)).body.data.items.map(({ id }: { id: string }) => id)
      for (const query of ['', '?sandbox=true', '?sandbox=true&page=1'])
        expect(await ids(query, merchant)).to.deep.equal([ofTest.id])
      for (const query of ['', '?sandbox=false']) expect(await ids(query)).to.deep.equal([ofLive.id])
      expect(await ids('?sandbox=true')).to.deep.equal([ofTest.id])
      await expectRefused(list('?sandbox=false'), 403, 'SANDBOX_MISMATCH')
      for (const query of ['?sandbox=', '?sandbox=1', '?sandbox=TRUE', '?sandbox=true&sandbox=false'])
        for (const as of [merchant, live]) await expectRefused(list(query, as), 400, 'VALIDATION_ERROR')
      expect(await ids('', await service.merchant())).to.deep.equal([])
    })

    it('is paginated like every other list', async () => {
      expect((await list('?limit=1000')).body.data.limit).to.equal(100)
      for (const query of ['?page=0', '?limit=0', '?page=x', '?page=1&page=2', '?limit='])
        await expectRefused(list(query), 400, 'VALIDATION_ERROR')
    })
  })
})
