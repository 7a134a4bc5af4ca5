import { randomBytes } from 'node:crypto'
import { createRequire, registerHooks } from 'node:module'
import { freePort } from '../../dev/servers/free-port.ts'
import { expireIntent } from '../../src/intents/expire.ts'
import { fill, open, wallets } from '../checkout/customer.ts'
import { cancelIntent, deliveriesOf, relay, requestIntent, sendJson, subscribe } from '../support/actions.ts'
import { type CollectedSpan, startCollector } from '../support/collector.ts'
import { startEndpointServer, withEndpointServer } from '../support/endpoint-server.ts'
import { deadlineMs } from '../support/machine.ts'
import { storedIntent } from '../support/pay.ts'
import { startProcess } from '../support/processes.ts'
import { recordLog } from '../support/recorded-log.ts'
import { scriptedWallet } from '../support/scripted-wallet.ts'
import { intents, type Merchant, openService, withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withOpened } from '../support/with.ts'

const lineIn =
  ({ lines }: ReturnType<typeof recordLog>) =>
  (msg: string, requestId: unknown) =>
    waitFor(`${msg} of ${String(requestId)}`, () =>
      lines().find((each) => each.msg === msg && each.requestId === requestId),
    )

let isLoaded = false
registerHooks({
  resolve(name, context, next) {
    isLoaded ||= name.startsWith('@opentelemetry/sdk')
    return next(name, context)
  },
})

const everyEvent = ['created', 'confirmed', 'cancelled', 'refunded', 'expired'].map(
  (name) => `payment.${name}`,
)

describe('A request id', () => {
  const endpointServer = withEndpointServer()
  const logged = recordLog('info')
  const { service, merchant } = withServiceAndMerchant({}, logged.log)
  const line = lineIn(logged)
  before(async () => {
    await subscribe(service, merchant, endpointServer.url, [...everyEvent, 'order.new'])
    service.startWorkers()
  })
  const send = async (path: string, body: object = {}) => {
    const { headers, body: response } = await service.http
      .post(`/api/v1/dev${path}`)
      .set(merchant.write())
      .send(body)
      .expect((res) => expect(res.status, JSON.stringify(res.body)).to.be.lessThan(300))
    return { requestId: headers['x-request-id'], data: response.data }
  }

  it('is logged by the request, the relay and the attempt, but never sent in a webhook', async () => {
    const { requestId, data } = await send('/intents', { amount: 500 })
    const attempted = await line('webhook.attempted', requestId)
    expect(attempted).to.include({ reference: data.referenceNumber, webhookEvent: 'payment.created' })
    expect(await line('outbox.relayed', requestId)).to.include({ events: 1, deliveries: 1 })
    const id = String(attempted.deliveryId)
    const read = await service.http.get(`/api/v1/dev/webhooks/events/${id}`).set(merchant.read()).expect(200)
    expect(read.body.data).not.to.have.any.keys('requestId', 'traceparent')
    expect(JSON.stringify(endpointServer.received)).not.to.include(requestId)
  })

  it('is logged with payments, refunds, cancellations, orders and their events', async () => {
    const eventOf = async (id: unknown) => (await line('webhook.attempted', id)).webhookEvent
    const paid = await send('/intents', { amount: 700 })
    const path = `/intents/${paid.data.referenceNumber}`
    const simulated = await send(`${path}/simulate-payment`)
    expect(await line('payment.settled', simulated.requestId)).to.include({ outcome: 'done' })
    expect(await eventOf(simulated.requestId)).to.equal('payment.confirmed')
    const refunded = await send(`${path}/refund`)
    expect(await line('refund.settled', refunded.requestId)).to.include({ outcome: 'done' })
    expect(await eventOf(refunded.requestId)).to.equal('payment.refunded')
    const { shortCode } = await requestIntent(service, merchant)
    const page = await fill(await open(service, `/p/${shortCode}`), wallets.pays)
    const requestId = page.headers.get('x-request-id')
    await line('payment.settled', requestId)
    expect(await eventOf(requestId)).to.equal('payment.confirmed')
    const { data } = await send('/intents', { amount: 5 })
    const cancelled = await send(`/intents/${data.referenceNumber}/cancel`)
    expect(await eventOf(cancelled.requestId)).to.equal('payment.cancelled')
    await send('/store/products', { name: 'Rice', price: 100, stock: 5 })
    const ordered = await send('/store/orders/simulate')
    expect(await eventOf(ordered.requestId)).to.equal('order.new')
  })

  it('is logged if the outcome of a payment or refund is unknown', async () => {
    const { wallets: original } = service.deps
    const wallet = scriptedWallet(service)
    const about = { businessId: merchant.businessId, wallet: 'sandbox', why: 'connection closed' }
    const payOnPage = async () => {
      const { shortCode, referenceNumber } = await requestIntent(service, merchant)
      const page = await fill(await open(service, `/p/${shortCode}`), wallets.pays)
      return { referenceNumber, requestId: page.headers.get('x-request-id') }
    }
    const held = await payOnPage()
    const { referenceNumber } = held
    expect(await line('payment.outcome-unknown', held.requestId)).to.include({ ...about, referenceNumber })
    wallet.setOutcome(() => ({ outcome: 'done' }))
    const paid = await payOnPage()
    wallet.setOutcome(() => ({ outcome: 'unknown', why: 'connection closed' }))
    const { headers } = await service.http
      .post(`/api/v1/dev/intents/${paid.referenceNumber}/refund`)
      .set(merchant.write())
      .expect(503)
    const open503 = await line('refund.outcome-unknown', headers['x-request-id'])
    expect(open503).to.include({ ...about, referenceNumber: paid.referenceNumber })
    service.deps.wallets = original
  })

  it('is missing from the log lines of an expiry, because no request caused it', async () => {
    const { referenceNumber } = await requestIntent(service, merchant)
    const delivered = { referenceNumber, status: 'DELIVERED' } as const
    await waitFor('its first event is delivered', () => service.deps.Delivery.exists(delivered))
    service.clock.advance(86_400_000)
    expect(await expireIntent(service.deps, referenceNumber)).to.deep.equal({ expired: true })
    const expired = await waitFor('it is attempted', () =>
      logged
        .lines()
        .find(
          ({ msg, webhookEvent, reference }) =>
            msg === 'webhook.attempted' &&
            webhookEvent === 'payment.expired' &&
            reference === referenceNumber,
        ),
    )
    expect(expired).to.include({ outcome: 'delivered', requestId: null })
  })

  it('is stored in MongoDB even if tracing is off', async () => {
    const { businessId } = merchant
    const { referenceNumber } = await requestIntent(service, await service.merchant())
    const delivery = await service.deps.Delivery.findOne({ businessId, event: 'payment.created' }).lean()
    expect(delivery?.requestId).to.match(/^[0-9a-f-]{36}$/)
    expect(delivery).not.to.have.property('traceparent')
    expect((await storedIntent(service, referenceNumber)).outbox[0] ?? {}).not.to.have.property('traceparent')
    expect(logged.lines().filter((each) => 'traceId' in each)).to.deep.equal([])
    expect(service.deps.tracing).to.equal(null)
    expect(isLoaded).to.equal(false)
  })
})

describe('A trace', () => {
  const callerTrace = randomBytes(16).toString('hex')
  const callerSpan = randomBytes(8).toString('hex')
  let traceId: string
  const collector = withOpened(startCollector, (opened) => opened.close())
  const endpointServer = withEndpointServer()
  const logged = recordLog('info')
  const line = lineIn(logged)
  let merchant: Merchant
  let code: string
  let requestId: string
  const named = (name: string) => collector.spans.filter((span) => span.name === name)
  const spanOf = (name: string, trace: string): CollectedSpan =>
    named(name).find((span) => span.traceId === trace) ?? expect.fail(`${name} is not in the trace`)
  before(async () => {
    const service = await openService({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, logged.log)
    merchant = await service.merchant()
    await subscribe(service, merchant, endpointServer.url)
    endpointServer.respondWith((res, count) => void res.writeHead(count === 2 ? 503 : 200).end())
    service.startWorkers()
    const created = await service.http
      .post(intents)
      .set({ ...merchant.write('HiddenKey'), traceparent: `00-${callerTrace}-${callerSpan}-01` })
      .send({ amount: 4_242_424, label: 'HiddenLabel' })
      .expect(201)
    code = created.body.data.code
    requestId = String(created.headers['x-request-id'])
    traceId = String((await line('webhook.attempted', requestId)).traceId)
    const { shortCode } = await requestIntent(service, merchant)
    await endpointServer.atLeast(2)
    await open(service, `/p/${shortCode}`)
    await service.http.get('/healthz').expect(200)
    const { insertIntent } = service.deps.batchers
    service.deps.batchers.insertIntent = async () => {
      service.deps.batchers.insertIntent = insertIntent
      throw new Error('a bug')
    }
    const broken = { ...merchant.write(), traceparent: 'nonsense' }
    await service.http.post(intents).set(broken).send({ amount: 5 }).expect(500)
    await waitFor('its second delivery waits', () =>
      logged.lines().find(({ msg, outcome }) => msg === 'webhook.attempted' && outcome === 'retrying'),
    )
    await service.close()
  })
  it('covers the request, the relay and the attempt', () => {
    const request = spanOf('POST /dev/intents', traceId)
    const relayed = spanOf('outbox-relay', traceId)
    const attempt = spanOf('attempt', traceId)
    expect(request.parentSpanId).to.equal(undefined)
    expect([request.links, traceId === callerTrace]).to.deep.equal([[callerTrace], false])
    expect(spanOf('operation', traceId).parentSpanId).to.equal(request.spanId)
    expect(relayed.parentSpanId).to.equal(request.spanId)
    expect(attempt.parentSpanId).to.equal(relayed.spanId)
    const { keyId, businessId } = merchant
    const http = { 'http.request.method': 'POST', 'http.route': 'POST /dev/intents' }
    const own = { 'http.response.status_code': 201, requestId, keyId, businessId, sandbox: true }
    expect(request.attributes).to.deep.include({ ...http, ...own })
    const deliveredAttributes = { requestId, outcome: 'delivered', webhookEvent: 'payment.created' }
    expect(attempt.attributes).to.include(deliveredAttributes)
  })

  it('is linked from the trace of the job that relayed the event', () => {
    const jobs = collector.spans.filter(({ links }) => links.includes(traceId))
    expect(jobs.map(({ name }) => name)).to.deep.equal(['outbox-relay'])
    const [relays] = jobs
    expect([relays?.parentSpanId, relays?.traceId === traceId]).to.deep.equal([undefined, false])
  })

  it('has its id in the log lines of the request, the relay and the attempt', async () => {
    for (const msg of ['http.request', 'outbox.relayed', 'webhook.attempted'])
      expect(await line(msg, requestId), msg).to.include({ traceId })
  })

  it('shows failed attempts and requests as failed', () => {
    const failed = collector.spans.filter((span) => span.failed).map(({ name }) => name)
    expect(failed.toSorted()).to.deep.equal(['POST /dev/intents', 'attempt', 'operation'])
    const attempt = named('attempt').find((span) => span.failed)
    const failedAttributes = { 'http.response.status_code': 503, stage: 'status', outcome: 'retrying' }
    expect(attempt?.attributes).to.include(failedAttributes)
    expect(named('GET /p/:shortCode')).to.have.length(1)
    expect(named('GET /healthz')).to.deep.equal([])
  })

  it('contains no payment code, key, label, body, query or address', () => {
    const { pathname, host } = new URL(endpointServer.url)
    for (const secret of [`"${code}"`, merchant.key, 'Hidden', '4242424', host, pathname, 'Épicerie'])
      expect(collector.allText(), secret).not.to.include(secret)
    expect(isLoaded).to.equal(true)
  })
})

describe('A trace across two processes', () => {
  it('is complete once both processes have ended', async () => {
    const [collector, endpointServer] = await Promise.all([startCollector(), startEndpointServer()])
    const service = await openService()
    const merchant = await service.merchant()
    await subscribe(service, merchant, endpointServer.url)
    const { url: OTEL_EXPORTER_OTLP_ENDPOINT } = collector
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT, WEBHOOK_ALLOWED_HOSTS: endpointServer.host }
    const start = (name: 'web' | 'worker') => startProcess(name, service, environment)
    const [web, worker] = await Promise.all([start('web'), start('worker')])
    await sendJson(web.origin, merchant.write(), '/intents', { amount: 5 })
    await endpointServer.atLeast(1)
    await waitFor('the result is stored', () => service.deps.Delivery.exists({ status: 'DELIVERED' }))
    for (const process of [web, worker]) process.kill('SIGTERM')
    expect(await Promise.all([web.exited, worker.exited])).to.deep.equal([0, 0])
    const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }
    const request =
      collector.spans.find(({ name }) => name === 'POST /dev/intents') ?? expect.fail('no request')
    const attempt = collector.spans.find(({ name }) => name === 'attempt') ?? expect.fail('no attempt')
    expect(request.service).to.equal(`payment-intents-web ${version}`)
    expect(attempt.service).to.equal(`payment-intents-worker ${version}`)
    expect(attempt.traceId).to.equal(request.traceId)
    await service.close()
    await Promise.all([endpointServer.close(), collector.close()])
  })
})

describe('A sampler that keeps no traces', () => {
  it('sends no trace to the collector', async () => {
    const collector = await startCollector()
    const service = await openService({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    })
    await requestIntent(service, await service.merchant())
    await service.close()
    await collector.close()
    expect(collector.spans).to.deep.equal([])
  })
})

describe("A trace that the collector doesn't accept", () => {
  const served = async (endpoint: string) => {
    const logged = recordLog('info')
    const service = await openService({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, logged.log)
    const merchant = await service.merchant()
    const endpointServer = await startEndpointServer()
    await subscribe(service, merchant, endpointServer.url)
    const { referenceNumber } = await requestIntent(service, merchant)
    expect((await cancelIntent(service, merchant, referenceNumber)).status).to.equal(200)
    await relay(service, merchant)
    const [delivery] = await deliveriesOf(service, merchant)
    const startedAt = performance.now()
    await service.close()
    await endpointServer.close()
    return {
      delivery,
      seconds: (performance.now() - startedAt) / 1000,
      warnings: logged.lines().filter(({ level }) => Number(level) > 30),
    }
  }

  it('causes only a log line while the collector is down', async () => {
    const { delivery, seconds, warnings } = await served(`http://127.0.0.1:${await freePort()}`)
    expect(delivery).to.include({ status: 'PENDING' }).and.have.property('traceparent')
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.include({ msg: 'traces.not-sent', level: 40 })
    expect(seconds).to.be.lessThan(deadlineMs(4_000) / 1000)
  })

  it("is logged as not sent, with the collector's status", async () => {
    const collector = await startCollector(400)
    const { warnings } = await served(`${collector.url}/`)
    await collector.close()
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.include({ msg: 'traces.not-sent', why: 'status 400' })
    expect(warnings[0]?.spans).to.be.a('number')
  })
})
