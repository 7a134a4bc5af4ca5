import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import type * as payments from '../../clients/typescript/payments.ts'
import { freePort } from '../../dev/servers/free-port.ts'
import { apiBasePath } from '../../src/app.ts'
import { newId } from '../../src/platform/ids.ts'
import { startProxy } from '../docs/proxy.ts'
import { attempt, deliveriesOf, relay, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { npmClientFiles, npmClientFolder } from '../support/npm-client.ts'
import { type Merchant, withMerchantPerTest, withService } from '../support/service.ts'

type Client = typeof payments

describe('The npm package', () => {
  const service = withService({ PUBLIC_URL: 'https://pay.example', WEBHOOK_HEADER_BRAND: 'Acme' })
  const merchant: Merchant = withMerchantPerTest(service)
  const endpointServer = withEndpointServer()
  let client: Client
  const connect = (more: object = {}) =>
    client.createPayments({ key: merchant.key, baseUrl: service.origin, ...more })

  before(async () => {
    mkdirSync('.data', { recursive: true })
    const folder = mkdtempSync(join(process.cwd(), '.data/client-'))
    for (const [path, text] of Object.entries(await npmClientFiles())) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    client = (await import(join(folder, npmClientFolder, 'payments.mjs'))) as Client
    rmSync(folder, { recursive: true })
  })

  it("comes with the guide's programs", async () => {
    for (const file of 'inbox.mjs inbox.py inbox.php hooks.py close.py'.split(' ')) {
      const { text: served } = await service.http.get(`/docs/clients/${file}`)
      expect(served, file).to.equal(readFileSync(`clients/examples/${file}`, 'utf8'))
    }
  })

  it('creates, pays, refunds and retrieves an intent', async () => {
    const payments = connect({ baseUrl: `${service.origin}${apiBasePath}/` })
    const { referenceNumber, status } = await payments.createIntent({ amount: 50_000, label: 'Order 17' })
    expect(status).to.equal('PENDING')
    expect((await payments.simulatePayment({ referenceNumber })).payment?.amountPaid).to.equal(50_000)
    const partial = { amount: 20_000, reason: 'One returned' }
    const { refund } = await payments.refundIntent({ referenceNumber, ...partial })
    expect(refund).to.include({ amount: 20_000, status: 'SUCCEEDED' })
    expect(await payments.getIntent({ referenceNumber })).to.include({ totalAmountRefunded: 20_000 })
    const file = await payments.exportPayments({ from: '2026-01-01', to: '2026-01-31' }).catch(String)
    expect(file).to.be.instanceOf(Response)
    expect(await payments.getBalance()).to.be.an('object')
  })

  it('creates and pays an intent only once if the connection breaks before the first response', async () => {
    const proxy = await startProxy(service.origin, { loses: (count) => count % 2 === 1 })
    try {
      const payments = connect({ baseUrl: proxy.origin })
      const { referenceNumber } = await payments.createIntent({ amount: 50_000 })
      expect((await payments.simulatePayment({ referenceNumber })).status).to.equal('PAID')
      const { items, total } = await connect().listIntents()
      expect(items.map((each) => each.referenceNumber)).to.deep.equal([referenceNumber])
      expect(total).to.equal(1)
    } finally {
      await proxy.close()
    }
  })

  it('gets the first response again when it repeats an idempotency key', async () => {
    const payments = connect()
    const [first, second] = await Promise.all(
      [1, 2].map(() => payments.createIntent({ amount: 500 }, { idempotencyKey: 'order-17' })),
    )
    expect(first?.referenceNumber).to.equal(second?.referenceNumber)
    const other = payments.createIntent({ amount: 501 }, { idempotencyKey: 'order-17' })
    const error = await other.catch((thrown: unknown) => thrown)
    expect(error).to.include({ code: 'IDEMPOTENCY_PARAMS_MISMATCH', statusCode: 201 })
    expect(error).to.have.nested.property('response.data.referenceNumber', first?.referenceNumber)
    expect(inspect(error)).to.not.include(first?.referenceNumber)
  })

  it('explains what is wrong with the arguments of verifyWebhook', async () => {
    const webhook = { body: '{"id":"6b0149aca90c38bde3c47f62","event":"order.new"}', secret: 'ab' }
    const signed = { ...webhook, headers: await client.signWebhook(webhook) }
    const messageOf = (wrong: object) =>
      client.verifyWebhook({ ...signed, ...wrong }).then(JSON.stringify, String)
    const secretError = "TypeError: secret must be the endpoint's secret, and not empty."
    for (const secret of [undefined, null, '', [], ['ab', ''], Buffer.from('ab')])
      expect(await messageOf({ secret })).to.equal(secretError)
    for (const body of [{ id: 1 }, undefined, new ArrayBuffer(2)])
      expect(await messageOf({ body })).to.match(/^TypeError: body must be the raw body/)
    expect(await messageOf({ secret: 'whsec_abc' })).to.include('not `standardSecret`, whsec_')
  })

  it('lists the items of all pages even if newer ones are added meanwhile', async () => {
    const payments = connect()
    for (let amount = 1; amount <= 5; amount += 1) await payments.createIntent({ amount })
    const amounts: (number | null)[] = []
    for await (const intent of payments.listAll('listIntents', { status: 'PENDING', limit: 2 })) {
      amounts.push(intent.amount)
      if (amounts.length === 1) await payments.createIntent({ amount: 6 })
    }
    expect(amounts).to.deep.equal([5, 4, 3, 2, 1])
  })

  it('throws errors that carry the fields of the response', async () => {
    const payments = connect()
    const error = await payments.createIntent({ amount: -1 }).catch((thrown: unknown) => thrown)
    if (!(error instanceof client.PaymentsError)) return expect.fail(String(error))
    expect(error).to.include({ code: 'AMOUNT_OUT_OF_RANGE', statusCode: 400, param: 'amount' })
    expect(error.requestId).to.match(/^[0-9a-f-]{36}$/)
    const missing = await payments.getIntent({ referenceNumber: 'PI/../x' }).catch((thrown) => thrown)
    expect(missing.code).to.be.oneOf(['INTENT_NOT_FOUND', 'VALIDATION_ERROR'])
  })

  it('exposes the API key neither on the client nor in errors', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`
    const unreachable = connect({ baseUrl, maxRetries: 0 })
    const error = await unreachable.getBalance().catch((thrown: unknown) => thrown)
    expect(error).to.include({ code: 'CONNECTION_FAILED', statusCode: undefined })
    expect((error as Error).message).to.equal(`The connection to ${baseUrl} failed: ECONNREFUSED.`)
    const shown = [unreachable, error].map((each) => inspect(each, { depth: null, showHidden: true }))
    expect(shown.join()).to.not.include(merchant.key)
    const broken = () => connect({ key: `${merchant.key}\n` })
    expect(broken)
      .to.throw(TypeError)
      .and.not.match(/sk_test_\w{5}/)
  })

  it('explains a misuse before it sends anything', async () => {
    const payments = connect()
    const misuses: Record<string, () => unknown> = {
      'key must be an API key': () => connect({ key: undefined as unknown as string }),
      'baseUrl must be the URL of the service': () => connect({ baseUrl: 'https://me:pw@pay.example' }),
      'idempotencyKey belongs in the second argument of createIntent': () =>
        payments.createIntent({ amount: 500, idempotencyKey: 'a-key' } as never),
      'getIntent takes an object': () => payments.getIntent('PI-1' as never),
      'referenceNumber must be an id': () => payments.getIntent({ referenceNumber: '' }),
      'label is undefined. Leave it out': () =>
        payments.createIntent({ amount: 500, label: undefined as never }),
      'There is no list listIntent': () => payments.listAll('listIntent' as never, {}),
      'headers must be the headers': () =>
        client.verifyWebhook({ body: '', headers: undefined as never, secret: 'a' }),
    }
    for (const [message, misuse] of Object.entries(misuses)) {
      const error = await (async () => misuse())().catch((thrown: unknown) => thrown)
      expect(error, message).to.be.instanceOf(TypeError)
      expect((error as Error).message).to.include(message)
    }
    expect((await payments.listIntents({})).items).to.have.length(0)
  })

  it('verifies a delivered webhook and returns its event', async () => {
    const { secret } = await subscribe(service, merchant, endpointServer.url)
    const { referenceNumber } = await connect().createIntent({ amount: 50_000 })
    await relay(service, merchant)
    for (const { _id } of await deliveriesOf(service, merchant)) await attempt(service.deps, _id)
    const [received = expect.fail('no webhook')] = await endpointServer.atLeast(1)
    const webhook = { body: received.body, headers: received.headers, secret, now: service.clock.now() }
    const event = await client.verifyWebhook(webhook)
    if (event.event !== 'payment.created') return expect.fail(event.event)
    expect(event.data.reference_number).to.equal(referenceNumber)
    expect(client.eventIdOf(event)).to.equal(received.headers['x-acme-event-id'])
    const changed = { ...webhook, body: received.body.replace('50000', '50001') }
    const error = await client.verifyWebhook(changed).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(client.WebhookVerificationError)
    const timestamp = Number(received.headers['x-acme-timestamp'])
    const signed = await client.signWebhook({ body: received.body, secret, timestamp, brand: 'Acme' })
    const lowerCase = Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value])
    expect(received.headers).to.include(Object.fromEntries(lowerCase))
  })

  it('verifies a webhook whatever its headers are named, even next to headers that look alike', async () => {
    const webhook = { body: JSON.stringify({ id: newId(), event: 'order.new' }), secret: 'ab' }
    for (const brand of ['Service', 'Acme', 'two-words', undefined]) {
      const headers = await client.signWebhook({ ...webhook, brand })
      const other = { 'X-Proxy-Timestamp': '1', 'X-Hub-Signature': 'sha256=00', 'X-A-Timestamp': 'x' }
      const timestamp = String(Math.floor(Date.now() / 1000))
      const wrong = { 'x-b-timestamp': timestamp, 'x-b-signature': `sha256=${'0'.repeat(64)}` }
      for (const each of [headers, { ...wrong, ...other, ...headers }, new Headers({ ...other, ...headers })])
        expect((await client.verifyWebhook({ ...webhook, headers: each })).event).to.equal('order.new')
      const mixed = { ...wrong, 'x-c-signature': headers[`X-${brand ?? 'Webhook'}-Signature`] }
      for (const [each, code] of [
        [mixed, 'SIGNATURE_MISMATCH'],
        [other, 'TIMESTAMP_OUT_OF_TOLERANCE'],
        [{}, 'INVALID_TIMESTAMP'],
      ] as const) {
        const error = await client
          .verifyWebhook({ ...webhook, headers: each })
          .catch((thrown: unknown) => thrown)
        expect(error).to.include({ code })
      }
    }
  })

  it('does not follow a redirect, so the key and the write go nowhere else', async () => {
    const before = endpointServer.received.length
    const { port } = new URL(endpointServer.url)
    for (const status of [301, 302, 303, 307, 308]) {
      endpointServer.respondWith((res) => {
        const location = `http://other.localhost:${port}/api?token=private`
        res.writeHead(status, { location }).end('Moved')
      })
      const payments = connect({ baseUrl: new URL(endpointServer.url).origin })
      const error = await payments.createIntent({ amount: 500 }).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'REDIRECTED', statusCode: status })
      expect(String(error)).to.include(`redirected to http://other.localhost:${port}, `)
    }
    expect(endpointServer.received.length).to.equal(before + 5)
  })

  it('follows all events once and in order across lost connections and a restart', async () => {
    const proxy = await startProxy(service.origin, { loses: (count) => count % 2 === 1 })
    const payments = connect({ baseUrl: proxy.origin })
    const create = async (amount: number) => {
      const { referenceNumber } = await connect().createIntent({ amount })
      await relay(service, merchant)
      return referenceNumber
    }
    const created = [await create(1), await create(2), await create(3)]
    const seen: string[] = []
    let cursor: string | undefined
    const follow = async (count: number): Promise<void> => {
      const controller = new AbortController()
      const query = { after: cursor, type: 'payment.created', limit: 2 } as const
      const events = payments.followEvents(query, { signal: controller.signal })
      for await (const { referenceNumber, id, body } of events) {
        expect(body).to.include({ id, event: 'payment.created' })
        seen.push(referenceNumber)
        cursor = events.cursor
        if (seen.length === count) setImmediate(() => controller.abort())
      }
    }
    try {
      await follow(2)
      await follow(3)
      const [waiting, fourth] = await Promise.all([follow(4), create(4)])
      expect(waiting).to.equal(undefined)
      expect(seen).to.deep.equal([...created, fourth])
    } finally {
      await proxy.close()
    }
  })

  it("pauses between requests if the service doesn't hold them open", async () => {
    const times: number[] = []
    const controller = new AbortController()
    const unheld = (url: string, init: RequestInit) => {
      times.push(performance.now())
      if (times.length === 2) controller.abort()
      return fetch(url.replace('wait=25', 'wait=0'), init)
    }
    const events = connect({ fetch: unheld }).followEvents({}, { signal: controller.signal })
    expect(await events.next()).to.include({ done: true })
    const [first = 0, second = 0] = times
    expect(second - first).to.be.at.least(900)
  })
})
