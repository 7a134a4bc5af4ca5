import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { type EventName, eventScopes } from '../../schemas/events.ts'
import type { ApiScope } from '../../schemas/scopes.ts'
import { attempt, deliveriesOf, freshDelivery, openSecondProcess, subscribe } from '../support/actions.ts'
import { isSignedWith, withEndpointServerPerTest } from '../support/endpoint-server.ts'
import { schemaErrorsOf } from '../support/payment-events.ts'
import { recordLog } from '../support/recorded-log.ts'
import type { Merchant } from '../support/service.ts'
import { loseResponses, withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const path = '/api/v1/dev/webhooks/endpoints'

describe('A webhook endpoint test', () => {
  const recorded = recordLog('info')
  const { service, merchant } = withServiceAndMerchantPerTest({ WEBHOOK_TIMEOUT_SECONDS: '2' }, recorded.log)
  const endpointServer = withEndpointServerPerTest()
  let id: string
  let secret: string
  let standardSecret: string
  beforeEach(async () => {
    const names: EventName[] = ['payment.confirmed', 'order.new']
    ;({ id, secret, standardSecret } = await subscribe(service, merchant, endpointServer.url, names))
  })

  const test = (body: unknown = {}, as = merchant, key?: string, which = id) =>
    service.http.post(`${path}/${which}/test`).set(as.write(key)).type('json').send(JSON.stringify(body))

  it('immediately sends one signed delivery with sample data, and returns its result', async () => {
    const { status, body } = await test({ event: 'payment.failed' })
    expect(status).to.equal(200)
    const [arrived = expect.fail('nothing arrived')] = endpointServer.received
    const { durationMs, ...result } = body.data
    expect(durationMs).to.be.a('number')
    const sent = { deliveryId: arrived.json.id, event: 'payment.failed' }
    expect(result).to.deep.equal({ ...sent, delivered: true, responseStatus: 200, error: null })
    expect(isSignedWith(secret, arrived)).to.equal(true)
    const standard = arrived.headers as Record<string, string>
    expect(new Webhook(standardSecret).verify(arrived.body, standard)).to.deep.equal(arrived.json)
    const headers = { 'x-service-event': 'payment.failed', 'content-type': 'application/json' }
    expect(arrived.headers).to.include(headers)
    expect(Object.keys(arrived.json)).to.deep.equal(['id', 'event', 'created_at', 'sandbox', 'data'])
    expect(arrived.json).to.include({ event: 'payment.failed', sandbox: true })
    expect(arrived.json.data).to.include({ reference_number: 'PI-TEST000000000000', status: 'FAILED' })
  })

  it('sends a body of the same shape as the real webhook for every event', async () => {
    for (const event of Object.keys(eventScopes) as EventName[]) {
      const { body } = await test({ event }).expect(200)
      expect(body.data, event).to.include({ event, delivered: true, responseStatus: 200 })
      const { headers, json } = endpointServer.received.at(-1) ?? expect.fail(event)
      expect(json).to.include({ id: body.data.deliveryId, event })
      expect(headers['x-service-event']).to.equal(event)
      if (event.startsWith('payment.')) expect(schemaErrorsOf(json), event).to.deep.equal([])
      expect(json.data.reference_number, event).to.match(/^(PI-TEST|OR-TEST|)0+$/)
    }
  })

  it('never connects to an address listed in WEBHOOK_BLOCKED_RANGES', async () => {
    const blocking = await openSecondProcess(service, { WEBHOOK_BLOCKED_RANGES: '127.0.0.0/8,::1' })
    blocking.allowHost(endpointServer.host)
    const { body } = await blocking.http.post(`${path}/${id}/test`).set(merchant.write()).expect(200)
    expect(body.data).to.include({ delivered: false, error: 'address' })
    expect(endpointServer.received).to.deep.equal([])
    await blocking.close()
  })

  it('goes through WEBHOOK_PROXY_URL', async () => {
    const requests: string[] = []
    const proxy = createServer().on('connect', (req, socket) => {
      requests.push(`${req.method} ${req.url}`)
      socket.end('HTTP/1.1 407 Denied\r\n\r\n')
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    const { port } = proxy.address() as AddressInfo
    const proxied = await openSecondProcess(service, { WEBHOOK_PROXY_URL: `http://me:pw@127.0.0.1:${port}` })
    proxied.allowHost(endpointServer.host)
    const { body } = await proxied.http.post(`${path}/${id}/test`).set(merchant.write()).expect(200)
    expect(body.data).to.include({ delivered: false, error: 'proxy', responseStatus: null })
    expect(requests).to.deep.equal([`CONNECT ${endpointServer.host}`])
    expect(endpointServer.received).to.deep.equal([])
    await proxied.close()
    proxy.close()
  })

  it("uses the endpoint's first event by default and works for an inactive endpoint", async () => {
    const set = (change: object) => service.http.put(`${path}/${id}`).set(merchant.write()).send(change)
    await set({ active: false }).expect(200)
    await service.http.post(`${path}/${id}/rotate-secret`).set(merchant.write()).expect(200)
    expect((await test().expect(200)).body.data).to.include({ event: 'payment.confirmed', delivered: true })
    const [arrived] = endpointServer.received
    const older = String(arrived?.headers['x-service-signature-previous'])
    if (arrived === undefined) return expect.fail('nothing arrived')
    const headers = { ...arrived.headers, 'x-service-signature': older }
    expect(isSignedWith(secret, { ...arrived, headers })).to.equal(true)
  })

  it("is marked as sandbox even for a live key, and doesn't affect the endpoint's deliveries or health", async () => {
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    const { id: own } = await subscribe(service, live, endpointServer.url)
    const before = await service.deps.Endpoint.findById(own).lean()
    endpointServer.respondWith((res) => void res.writeHead(500).end())
    await test({}, live, undefined, own).expect(200)
    expect(endpointServer.received.map(({ json }) => json.sandbox)).to.deep.equal([true])
    expect(await deliveriesOf(service, merchant)).to.deep.equal([])
    expect(await service.deps.Endpoint.findById(own).lean()).to.deep.equal(before)
  })

  it('returns 200 with the failed stage but no resolved address if the attempt fails, and does not retry', async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as { port: number }
    await new Promise((resolve) => closed.close(resolve))
    const none = await subscribe(service, merchant, `http://localhost:${port}/`)
    const { _id } = await freshDelivery(service, merchant)
    await attempt(service.deps, _id)
    const delivery = `/api/v1/dev/webhooks/events/${_id}`
    const attempted = await service.http.get(delivery).set(merchant.read()).expect(200)
    expect(attempted.body.data).to.include({ lastError: 'refused' })
    // Its host was allowed at registration, but isn't any longer.
    const hidden = await subscribe(service, merchant, 'http://127.0.0.1:1/')
    service.deps.config.webhookAllowedHosts.delete('127.0.0.1:1')
    for (const [error, which] of Object.entries({ refused: none.id, address: hidden.id })) {
      const { body, text } = await test({}, merchant, undefined, which).expect(200)
      expect(body.data).to.include({ delivered: false, responseStatus: null, error })
      expect(text + attempted.text).not.to.match(/127\.0\.0\.1|::1/)
    }
    for (const status of [500, 301, 404]) {
      endpointServer.respondWith((res) => void res.writeHead(status, { Location: '/' }).end('words'))
      const { body, text } = await test().expect(200)
      expect(body.data).to.include({ delivered: false, responseStatus: status, error: 'status' })
      expect(text).not.to.include('words')
    }
    endpointServer.respondWith(() => undefined)
    expect((await test().expect(200)).body.data).to.include({ responseStatus: null, error: 'timeout' })
    expect(endpointServer.received).to.have.length(4)
  })

  it('is refused if the same business is already running five tests', async () => {
    const other = await service.merchant()
    const { id: theirs } = await subscribe(service, other, endpointServer.url, ['payment.confirmed'])
    const silent = createServer(() => undefined)
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as AddressInfo
    const hanging = await subscribe(service, merchant, `http://127.0.0.1:${port}/`)
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const { status, body, headers } = await test({}, merchant, undefined, hanging.id)
        if (status !== 429) return status
        expect(body.error).to.deep.include({ code: 'RATE_LIMITED', details: { scope: 'tests', limit: 5 } })
        expect(headers['retry-after']).to.equal('1')
        expect((await test({}, other, undefined, theirs).expect(200)).body.data.delivered).to.equal(true)
        return status
      }),
    )
    expect(statuses.filter((status) => status === 429)).to.have.length(1)
    expect(statuses.filter((status) => status === 200)).to.have.length(5)
    await test().expect(200)
    silent.closeAllConnections()
    silent.close()
  })

  it('sends one delivery per idempotency key, even if requests are concurrent', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => test({}, merchant, 'once')))
    responses.push(await test({}, merchant, 'once'))
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`))).to.have.property('size', 1)
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).to.have.length(5)
    const { length } = endpointServer.received
    expect((await test({ event: 'order.new' }, merchant, 'once')).text).to.equal(responses[0]?.text)
    expect(endpointServer.received).to.have.length(length)
    expect(new Set(endpointServer.received.map(({ json }) => json.id))).to.have.property('size', 1)
    await test({}, merchant, 'another').expect(200)
    expect(new Set(endpointServer.received.map(({ json }) => json.id))).to.have.property('size', 2)
  })

  it('may take longer than a request may wait for MongoDB', async () => {
    const slow = await openSecondProcess(service, { WEBHOOK_TIMEOUT_SECONDS: '30' })
    slow.allowHost(endpointServer.host)
    endpointServer.respondWith((res) => void setTimeout(() => res.end(), 8_500))
    const { status, body } = await slow.http.post(`${path}/${id}/test`).set(merchant.write())
    expect([status, body.data?.delivered, body.data?.durationMs > 8_000]).to.deep.equal([200, true, true])
    await slow.close()
  }).timeout(30_000)

  it('sends the same delivery id again if the request is retried after a crash', async () => {
    await test({}, merchant, 'crashed').expect(200)
    await loseResponses(service)
    await test({}, merchant, 'crashed').expect(200)
    const ids = endpointServer.received.map(({ json }) => json.id)
    expect([ids.length, new Set(ids).size]).to.deep.equal([2, 1])
  })

  it("is refused for an unknown event or an event outside the key's scopes, even if chosen by default", async () => {
    const scopes: ApiScope[] = ['webhooks.endpoints:write', 'store.orders:read']
    const orders = await withAnotherKey(service, merchant, { scopes })
    const cases: [unknown, Merchant, number, string, string][] = [
      [{ event: 'nope' }, merchant, 400, 'INVALID_WEBHOOK_EVENT', 'event'],
      [{ event: '__proto__' }, merchant, 400, 'INVALID_WEBHOOK_EVENT', 'event'],
      [{ event: ['order.new'] }, merchant, 400, 'VALIDATION_ERROR', 'event'],
      [[{}], merchant, 400, 'VALIDATION_ERROR', 'body'],
      [{ event: 'payment.created' }, orders, 403, 'EVENTS_NOT_PERMITTED', 'event'],
      [{}, orders, 403, 'EVENTS_NOT_PERMITTED', 'event'],
    ]
    for (const [body, as, status, code, param] of cases)
      await expectRefused(test(body, as), status, code, { param })
    expect(endpointServer.received).to.deep.equal([])
    await test({ event: 'order.new' }, orders).expect(200)
  })

  it('adds one log line without the secret, signature or body', async () => {
    recorded.text = ''
    const { body } = await test().expect(200)
    const lines = recorded.text.split('\n').filter((line) => line.includes(body.data.deliveryId))
    expect(lines.map((line) => JSON.parse(line).msg)).to.deep.equal(['webhook.tested'])
    expect(JSON.parse(lines[0] ?? '')).to.include({ status: 200, stage: null, endpointId: id })
    for (const hidden of [secret, 'sha256', 'PI-TEST', merchant.key])
      expect(recorded.text).not.to.include(hidden)
  })
})
