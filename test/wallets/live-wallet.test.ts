import { readFileSync } from 'node:fs'
import http, { Agent, type RequestOptions, type ServerResponse } from 'node:http'
import { pino } from 'pino'
import { freePort } from '../../dev/servers/free-port.ts'
import { packageVersion } from '../../src/platform/version.ts'
import { createLiveWallet } from '../../src/wallets/live/live-wallet.ts'
import { exchangeWithProvider, signWalletRequest } from '../../src/wallets/live/provider.ts'
import type { OrderStatusQuery, PaymentOrder, RefundOrder, Wallet } from '../../src/wallets/wallet.ts'
import { createGate } from '../support/gate.ts'
import {
  asSpecified,
  type Provider,
  type ProviderBehaviour,
  requestLost,
  respondWith,
  responseLost,
  send,
  startProvider,
} from '../support/provider.ts'
import { payer } from '../support/provider-books.ts'
import { type Clock, createClock } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import {
  httpEndpoint,
  httpsEndpoint,
  rawHttpEndpoint,
  silentEndpoint,
  stopEndpoints,
} from '../webhooks/endpoint-servers.ts'
import { block } from '../webhooks/sending.ts'
import { done, locked, notExecuted, poor, technical, wrongPin } from './customers.ts'

/** Long enough for a response on loopback, even on a busy machine. */
const timeoutMs = 5000
const shortTimeoutMs = 400
/** The provider's clock may be ahead, so its `validUntil` is this much later than the order's own. */
const maxClockSkewMs = 30_000
const startAt = (port: number, agent: Agent) => (options: RequestOptions) =>
  http.request({ host: '127.0.0.1', port, agent, ...options })
const postRequest = { method: 'POST', path: '/', headers: {}, body: '{}' } as const

describe('The live wallet client', () => {
  let provider: Provider
  let clock: Clock
  let wallet: ReturnType<typeof open>
  let log = ''
  let keys = 0
  before(async () => {
    provider = await startProvider()
    provider.setClock(() => clock.now())
  })
  beforeEach(() => {
    provider.handleOrders(asSpecified)
    provider.handleQueries(asSpecified)
    provider.requests.length = 0
    provider.movements.length = 0
    log = ''
    clock = createClock()
    wallet = open(provider.url)
  })
  afterEach(() => wallet.close())
  after(async () => {
    await stopEndpoints()
    await provider.close()
  })
  function open(url: string, walletTimeoutMs = timeoutMs) {
    const sink = { write: (line: string) => void (log += line) }
    const deps = {
      config: { walletTimeoutMs, webConcurrency: 1, webhookHeaderBrand: 'Shop' },
      log: pino({}, sink),
      now: () => clock.now(),
    }
    const at = { name: 'here', url, key: provider.key, refunds: true }
    return createLiveWallet(deps as Parameters<typeof createLiveWallet>[0], at)
  }
  const inSeconds = (seconds: number): Date => new Date(clock.now().getTime() + seconds * 1000)
  const payment = (changes: Partial<PaymentOrder> = {}): PaymentOrder => ({
    key: `payment-${(keys += 1)}`,
    amount: 700,
    fee: 7,
    validUntil: inSeconds(15),
    businessId: 'b1',
    referenceNumber: 'PI-1',
    phone: payer.phone,
    pin: payer.pin,
    ...changes,
  })
  const refundOf = ({ key }: PaymentOrder, changes: Partial<RefundOrder> = {}): RefundOrder => ({
    businessId: 'b1',
    key: `RF-${(keys += 1)}`,
    paymentKey: key,
    amount: 300,
    fee: 3,
    validUntil: inSeconds(15),
    ...changes,
  })
  const queryFor = ({ key, amount, fee, validUntil }: PaymentOrder): OrderStatusQuery => ({
    kind: 'payment',
    businessId: 'b1',
    key,
    amount,
    fee,
    validUntil,
  })

  it('takes payments, refunds them and queries their outcomes', async () => {
    const order = payment()
    expect(await wallet.authorise(order)).to.deep.equal(done)
    const refund = refundOf(order)
    expect(await wallet.refund(refund)).to.deep.equal(done)
    expect(await wallet.status(queryFor(order))).to.deep.equal(done)
    const refundQuery = { ...queryFor(order), kind: 'refund', key: refund.key, amount: 300, fee: 3 } as const
    expect(await wallet.status(refundQuery)).to.deep.equal(done)
    // The provider returns 401 for a wrong signature.
    expect(provider.movements.map(({ amount, fee }) => `${amount} ${fee}`)).to.deep.equal([
      '-700 -7',
      '300 3',
    ])
    const { phone, pin, referenceNumber: reference, businessId, ...money } = order
    const { key, amount, fee, paymentKey, validUntil } = refund
    expect(provider.requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'POST /wallet/v1/payments',
      'POST /wallet/v1/refunds',
      `GET /wallet/v1/payments/${order.key}`,
      `GET /wallet/v1/refunds/${refund.key}`,
    ])
    expect(provider.requests.slice(0, 2).map(({ body }) => JSON.parse(body))).to.deep.equal(
      [
        { ...money, currency: 'MRU', phone, pin, reference, businessId },
        { key, amount, fee, paymentKey, validUntil, currency: 'MRU' },
      ].map((sent) => ({
        ...sent,
        validUntil: new Date(sent.validUntil.getTime() + maxClockSkewMs).toISOString(),
      })),
    )
    for (const { headers } of provider.requests)
      expect(headers).to.include({ 'user-agent': `Shop-Payments/${packageVersion}`, accept: '*/*' })
    expect(log).to.equal('')
  })

  it('ignores interim (1xx) responses', async () => {
    for (const interim of [
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 103 Early\r\nlink: </a>\r\n\r\n'.repeat(1000),
    ]) {
      const early: ProviderBehaviour = (res, work) => {
        res.socket?.write(interim)
        setImmediate(() => send(res, work()))
      }
      provider.handleOrders(early)
      provider.handleQueries(early)
      const order = payment()
      expect(await wallet.authorise(order)).to.deep.equal(done)
      expect(await wallet.status(queryFor(order))).to.deep.equal(done)
    }
    expect(log).to.equal('')
  })

  it('signs requests as shown in docs/operators/wallet-provider.md', () => {
    const page = readFileSync(new URL('../../docs/operators/wallet-provider.md', import.meta.url), 'utf8')
    const key = /signed with the key `([^`]+)`/.exec(page)?.[1] ?? ''
    const shown = [...page.matchAll(/```http\n([^]+?)\n```/g)].map(([, request = '']) => request)
    const methods = shown.map((request) => {
      const [head = '', body = ''] = request.split('\n\n')
      const [, method, path = ''] = /^(GET|POST) (\S+) HTTP/.exec(head) ?? []
      const timestamp = /X-Wallet-Timestamp: (\d+)/.exec(head)?.[1] ?? ''
      const signed = { timestamp, method: method as 'GET' | 'POST', path, body }
      expect(head).to.include(`X-Wallet-Signature: ${signWalletRequest(key, signed)}`)
      return method
    })
    expect(methods).to.deep.equal(['POST', 'GET'])
  })

  it("returns the provider's failure reason, or a default for an unknown one", async () => {
    const table: [status: string, reason: unknown, expected: object][] = [
      ['succeeded', undefined, done],
      ['declined', 'insufficient_funds', poor],
      ['declined', 'limit_exceeded', { outcome: 'declined', reason: 'limit_exceeded' }],
      ['declined', 'wrong_pin', { outcome: 'declined', reason: 'declined' }],
      ['declined', undefined, { outcome: 'declined', reason: 'declined' }],
      ['failed', 'wallet_closed', { outcome: 'failed', reason: 'wallet_closed' }],
      ['failed', 'technical_error', technical],
      ['failed', { why: 'no idea' }, technical],
      ['refused', 'wallet_locked', locked],
      ['refused', 'wrong_pin', wrongPin],
      ['refused', null, wrongPin],
      ['pending', undefined, { outcome: 'unknown', why: 'pending' }],
    ]
    for (const [status, reason, expected] of table) {
      const behaviour: ProviderBehaviour = (res, _work, { key }) =>
        send(res, { status: 200, body: { key, status, reason, fault: 'an unknown field' } })
      provider.handleOrders(behaviour)
      provider.handleQueries(behaviour)
      const order = payment()
      expect(await wallet.authorise(order), status).to.deep.equal(expected)
      expect(await wallet.status(queryFor(order)), status).to.deep.equal(expected)
      if (status !== 'refused') expect(await wallet.refund(refundOf(order)), status).to.deep.equal(expected)
    }
    expect(log).to.equal('')
  })

  /** On a slow machine, connecting could otherwise use up the next request's timeout. */
  async function connect(connected: Wallet): Promise<void> {
    provider.handleQueries(asSpecified)
    await waitFor('a connection', async () => {
      const result = await connected.status(queryFor(payment()))
      return result.outcome === 'unknown' && result.why === 'not there'
    })
  }
  const respond = (fields: Record<string, unknown>, status = 200): ProviderBehaviour =>
    respondWith((res, { key }) => send(res, { status, body: { key, ...fields } }))
  /** These prove nothing: the provider still carries out each order. */
  const faults: [what: string, behaviour: ProviderBehaviour, why: RegExp][] = [
    ['status 500', respondWith((res) => res.writeHead(500).end()), /^status 500$/],
    ['status 401', respondWith((res) => res.writeHead(401).end()), /^status 401$/],
    ['status 409, well-formed', respond({ status: 'declined' }, 409), /^status 409$/],
    ['status 201, well-formed', respond({ status: 'succeeded' }, 201), /^status 201$/],
    ['a redirect', respondWith((res) => res.writeHead(307, { Location: '/' }).end()), /^status 307$/],
    ['no body', respondWith((res) => res.writeHead(204).end()), /^status 204$/],
    ['a page', respondWith((res) => res.end('<html>Welcome</html>')), /^malformed$/],
    ['null', respondWith((res) => res.end('null')), /^malformed$/],
    ['a list', respondWith((res) => res.end('[]')), /^malformed$/],
    ['half a response', respondWith((res) => res.end('{"key":"')), /^malformed$/],
    ['an undocumented status', respond({ status: 'paid' }), /^malformed$/],
    ['"unknown" with status 200', respond({ status: 'unknown' }), /^malformed$/],
    ['a wrong key', respond({ key: 'x', status: 'declined' }), /^another key$/],
    ['no key', respond({ key: undefined, status: 'declined' }), /^malformed$/],
    ['a wrong amount', respond({ status: 'succeeded', amount: 70 }), /^another amount$/],
    ...['EUR', 'mru', ' MRU', 'MRU\n', '', null, 929, ['MRU']].map((currency): (typeof faults)[number] => [
      `the currency ${JSON.stringify(currency)}`,
      respond({ status: 'succeeded', currency }),
      /^another currency$/,
    ]),
    ['a wrong fee', respond({ status: 'succeeded', fee: 70 }), /^another fee$/],
    ['an amount as text', respond({ status: 'succeeded', amount: '700' }), /^malformed$/],
    [
      'a body that is too large',
      respondWith((res) => res.end(JSON.stringify({ more: 'x'.repeat(20_000) }))),
      /^too large$/,
    ],
    ['very long headers', respondWith((res) => res.setHeader('X', 'x'.repeat(20_000)).end()), /^too large$/],
    ['not HTTP', respondWith((res) => res.socket?.end('succeeded\r\n\r\n')), /^malformed$/],
    ['nothing before the connection closes', responseLost, /^reset$/],
    ['half of it before the connection closes', respondWith((res) => cut(res)), /^reset$/],
    ['nothing at all', respondWith(() => {}), /^timeout$/],
    ['one byte at a time', respondWith((res) => drip(res, () => res.write(' '))), /^timeout$/],
    ['only interim responses', respondWith((res) => drip(res, () => res.writeContinue())), /^timeout$/],
  ]
  const cut = (res: ServerResponse): void => {
    res.writeHead(200, { 'Content-Length': '90' }).write('{"key":')
    setTimeout(() => res.destroy(), 20)
  }
  const drip = (res: ServerResponse, write: () => unknown): void => {
    const timer = setInterval(write, 30)
    res.on('close', () => clearInterval(timer))
  }

  for (const [what, behaviour, why] of faults)
    it(`treats an order's outcome as unknown if the response is unusable: ${what}`, async () => {
      provider.handleOrders(behaviour)
      const order = payment()
      const connected = why.test('timeout') ? open(provider.url, shortTimeoutMs) : wallet
      for (const call of [() => connected.authorise(order), () => connected.status(queryFor(order))]) {
        await connect(connected)
        provider.handleQueries(behaviour)
        const outcome = await call()
        expect(outcome.outcome).to.equal('unknown')
        expect((outcome as { why: string }).why).to.match(why)
      }
      provider.handleQueries(asSpecified)
      expect(await wallet.status(queryFor(order))).to.deep.equal(done)
      expect(provider.requests.filter(({ method }) => method === 'POST')).to.have.length(1)
      expect(log).to.match(/wallet\.failing/)
    })

  it("treats a refund's outcome as unknown if the provider returns `refused`", async () => {
    provider.handleOrders(respond({ status: 'refused', reason: 'wrong_pin' }))
    expect(await wallet.refund(refundOf(payment()))).to.deep.equal({ outcome: 'unknown', why: 'malformed' })
  })

  it('never mistakes a second response to one order for the response to the next', async () => {
    let orders = 0
    const endpointServer = await rawHttpEndpoint((socket) => {
      const text = `to order ${(orders += 1)}`
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`.repeat(2))
    })
    const agent = new Agent({ keepAlive: true })
    const bodies = []
    for (let order = 1; order <= 3; order += 1) {
      const exchanged = await exchangeWithProvider(
        startAt(endpointServer.port, agent),
        postRequest,
        timeoutMs,
      )
      bodies.push(exchanged.outcome === 'responded' && exchanged.body)
    }
    expect(bodies).to.deep.equal(['to order 1', 'to order 2', 'to order 3'])
    agent.destroy()
  })

  it('reads a response that arrived in time while the process was blocked', async () => {
    const endpointServer = await httpEndpoint((_req, res) => {
      res.end('{}')
      block(600)
    })
    const agent = new Agent()
    const exchanged = await exchangeWithProvider(startAt(endpointServer.port, agent), postRequest, 500)
    expect(exchanged).to.include({ outcome: 'responded', body: '{}' })
  })

  it('treats an order that was never sent as not executed', async () => {
    const [port, silent, selfSigned] = await Promise.all([
      freePort(),
      silentEndpoint(),
      httpsEndpoint('self-signed', (_req, res) => res.end()),
    ])
    const unreachableUrls: [url: string, why: string][] = [
      [`http://127.0.0.1:${port}`, 'refused'],
      ['http://nobody.invalid', 'no (such host|DNS|connection)'],
      [`https://127.0.0.1:${silent.port}`, 'no connection'],
      [`https://127.0.0.1:${selfSigned.port}`, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ]
    for (const [url, why] of unreachableUrls) {
      const unreachable = open(url, shortTimeoutMs)
      expect(await unreachable.authorise(payment()), url).to.deep.equal(notExecuted)
      expect(await unreachable.refund(refundOf(payment())), url).to.deep.equal(notExecuted)
      // A query without a response proves nothing, even long after the deadline.
      const old = { ...queryFor(payment()), validUntil: inSeconds(-3600) }
      expect((await unreachable.status(old)).outcome, url).to.equal('unknown')
      await unreachable.close()
      expect(log, url).to.match(new RegExp(`"why":"${why}".*wallet\\.failing`))
    }
  })

  it('sends no order whose deadline has passed', async () => {
    const order = payment({ validUntil: clock.now() })
    expect(await wallet.authorise(order)).to.deep.equal(notExecuted)
    expect(await wallet.refund(refundOf(order, { validUntil: inSeconds(-1) }))).to.deep.equal(notExecuted)
    expect(provider.requests).to.deep.equal([])
  })

  it('sends no order that has waited for a connection for half of its timeout', async () => {
    const gate = createGate()
    provider.handleOrders(async (res, work, request) => {
      await gate.passed
      return asSpecified(res, work, request)
    })
    const orders = Array.from({ length: 129 }, () => wallet.authorise(payment()))
    // A connection becomes free before the timeout, but too late to wait for an order's response.
    expect(await Promise.race(orders)).to.deep.equal(notExecuted)
    expect(log).to.match(/"why":"no connection".*wallet\.failing/)
    gate.open()
    const executed = (await Promise.all(orders)).filter(({ outcome }) => outcome === 'done')
    expect(executed).to.have.length.below(129)
    expect(provider.requests).to.have.length(executed.length)
    expect(await wallet.authorise(payment())).to.deep.equal(done)
  })

  it("keeps connections free for other businesses while one business's orders get no response", async () => {
    const gate = createGate()
    let hanging = 0
    provider.handleOrders(async (res, work, request) => {
      if (JSON.parse(request.body).businessId === 'b1') {
        hanging += 1
        await gate.passed
      }
      return asSpecified(res, work, request)
    })
    const orders = Array.from({ length: 150 }, () => wallet.authorise(payment()))
    await waitFor('half of the connections', () => hanging === 128)
    expect(await wallet.authorise(payment({ businessId: 'b2' }))).to.deep.equal(done)
    gate.open()
    for (const outcome of await Promise.all(orders)) expect(outcome).to.deep.equal(done)
    expect(hanging).to.equal(150)
  })

  it('does not repeat an order when a reused connection breaks', async () => {
    let arrived = 0
    const endpointServer = await rawHttpEndpoint((socket, count) => {
      arrived += 1
      if (count > 1) return void socket.destroy()
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    })
    const agent = new Agent({ keepAlive: true })
    const start = startAt(endpointServer.port, agent)
    expect(await exchangeWithProvider(start, postRequest, timeoutMs)).to.include({
      outcome: 'responded',
      status: 200,
    })
    await waitFor('the connection is free', () => Object.keys(agent.freeSockets).length === 1)
    expect(await exchangeWithProvider(start, postRequest, timeoutMs)).to.deep.equal({
      outcome: 'lost',
      why: 'reset',
    })
    agent.destroy()
    expect([arrived, endpointServer.connections.length]).to.deep.equal([2, 1])
  })

  it('treats "unknown" as not executed only a minute after the order\'s deadline', async () => {
    provider.handleOrders(requestLost)
    const order = payment()
    await wallet.authorise(order)
    const query = queryFor(order)
    const deadline = order.validUntil.getTime() + maxClockSkewMs
    const notThere = { outcome: 'unknown', why: 'not there' }
    clock.freeze(new Date(deadline + 60_000))
    expect(await wallet.status(query)).to.deep.equal(notThere)
    clock.advance(1)
    expect(await wallet.status(query)).to.deep.equal(notExecuted)
    // After 30 days, the provider may have forgotten the order.
    clock.freeze(new Date(deadline + 30 * 86_400_000))
    expect(await wallet.status(query)).to.deep.equal(notThere)
    clock.freeze(new Date(deadline + 28 * 86_400_000))
    expect(await wallet.status({ ...query, kind: 'refund' })).to.deep.equal(notExecuted)
    // Another server's 404 at this address isn't a response from the provider.
    for (const body of ['', '{}', '{"status":"unknown"}', '{"key":"x","status":"unknown"}']) {
      provider.handleQueries((res) => res.writeHead(404).end(body))
      expect((await wallet.status(query)).outcome, body).to.equal('unknown')
    }
  })

  it('treats "expired" as not executed only in a well-formed response to an order', async () => {
    const expired: ProviderBehaviour = (res, _work, { key }) =>
      send(res, { status: 410, body: { key, status: 'expired' } })
    provider.handleOrders(expired)
    provider.handleQueries(expired)
    const order = payment()
    expect(await wallet.authorise(order)).to.deep.equal(notExecuted)
    expect(await wallet.refund(refundOf(order))).to.deep.equal(notExecuted)
    expect(log).to.match(/"why":"expired".*wallet\.failing/)
    expect((await wallet.status(queryFor(order))).outcome).to.equal('unknown')
    for (const [status, body] of [
      [410, { key: 'x', status: 'expired' }],
      [410, { status: 'expired' }],
      [410, {}],
      [410, { key: order.key, status: 'declined' }],
      [404, { key: order.key, status: 'expired' }],
      [200, { key: order.key, status: 'expired' }],
    ] as const) {
      provider.handleOrders((res) => send(res, { status, body }))
      expect((await wallet.authorise(order)).outcome, JSON.stringify(body)).to.equal('unknown')
    }
  })

  it("compares an order's deadline with the time when the query was sent, not when its response arrived", async () => {
    const order = payment()
    const gate = createGate()
    provider.handleQueries((res, work) => {
      const response = work()
      void gate.passed.then(() => send(res, response))
    })
    const result = wallet.status(queryFor(order))
    await waitFor('the query', () => provider.requests.length === 1)
    clock.advance(120_000)
    gate.open()
    expect(await result).to.deep.equal({ outcome: 'unknown', why: 'not there' })
  })

  it('logs no PIN, phone number or secret key', async () => {
    provider.handleOrders((res, _work, { body }) => res.writeHead(500).end(body))
    for (let count = 0; count < 5; count += 1) await wallet.authorise(payment({ requestId: 'request-1' }))
    const lines = () =>
      log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    const fields = { level: 40, msg: 'wallet.failing', kind: 'payment', key: `payment-${keys - 4}` }
    expect(lines()).to.have.length(1)
    expect(lines()[0]).to.include({ ...fields, why: 'status 500', businessId: 'b1', requestId: 'request-1' })
    // A frequent fault doesn't hide another.
    provider.handleOrders((res) => res.writeHead(503).end())
    for (let count = 0; count < 5; count += 1) await wallet.authorise(payment())
    expect(lines().map(({ why }) => why)).to.deep.equal(['status 500', 'status 503'])
    for (const secret of [payer.phone, payer.pin, provider.key, 'sha256']) expect(log).not.to.include(secret)
  })

  it('finishes work in progress before it closes', async () => {
    const gate = createGate()
    provider.handleOrders(
      (res, work) => void gate.passed.then(() => asSpecified(res, work, provider.requests[0] as never)),
    )
    const closing: Wallet & { close(): Promise<void> } = open(provider.url)
    const paying = closing.authorise(payment())
    await waitFor('the order', () => provider.requests.length === 1)
    const closed = closing.close()
    gate.open()
    expect(await paying).to.deep.equal(done)
    await closed
    expect(await closing.authorise(payment())).to.deep.equal(notExecuted)
  })
})
