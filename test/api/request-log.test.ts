import { once } from 'node:events'
import { createApp } from '../../src/app.ts'
import type { BusinessChange } from '../../src/businesses/change-business.ts'
import { setKeyStatus } from '../../src/businesses/change-key.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { changeAsOperator } from '../support/actions.ts'
import { recordLog } from '../support/recorded-log.ts'
import {
  intents,
  type KeyOptions,
  type Merchant,
  openService,
  tester,
  withService,
} from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import {
  connectTo,
  crlf,
  expectFailure,
  postHead,
  type RawResponse,
  readResponses,
  responsesOf,
  sendRaw,
} from './raw-request.ts'
import { openServer, shortTimeouts } from './short-timeouts.ts'

describe('The request log', () => {
  const recorded = recordLog()
  const service = withService({}, recorded.log)
  const { lines } = recorded
  const linesOf = (requestId: string | undefined) => lines().filter((line) => line.requestId === requestId)
  const post = (headers: Record<string, string>, body?: string | object) =>
    service.http.post(intents).set(headers).send(body)
  const idOf = (response: RawResponse | undefined) => String(response?.headers.get('x-request-id'))
  const lineOfRaw = (response: RawResponse | undefined) =>
    lineOf({ headers: { 'x-request-id': idOf(response) } })
  /** A failed request logs two lines. */
  const bothLines = ({ headers }: { headers: Record<string, string> }) => {
    const requestId = headers['x-request-id']
    return waitFor('both lines', () => linesOf(requestId).length === 2 && linesOf(requestId))
  }
  const lineOf = (response: { headers: Record<string, string> }) =>
    waitFor('the line of the request', () => {
      const [line, ...more] = linesOf(response.headers['x-request-id'])
      expect(more).to.deep.equal([])
      return line
    })

  it("contains one line for each request, with the key's id, the route and the result", async () => {
    const { write, read, keyId, businessId } = await service.merchant()
    const created = await post(write('key-1'), { amount: 5 })
    const who = { keyId, businessId, sandbox: true }
    const line = await lineOf(created)
    expect(line).to.include({ msg: 'http.request', method: 'POST', status: 201, code: null, ...who })
    expect(line.route).to.equal('POST /dev/intents')
    expect(line.durationMs).to.be.a('number')
    expect(line.replayed).to.equal(false)
    const again = await post(write('key-1'), { amount: 5 })
    expect(await lineOf(again)).to.include({ status: 201, replayed: true, ...who })
    const refused = await post(write(), { amount: 0 })
    expect(await lineOf(refused)).to.include({ status: 400, code: 'AMOUNT_OUT_OF_RANGE', ...who })
    const unknown = await service.http.get('/nothing')
    expect(await lineOf(unknown)).to.include({ status: 404, code: 'ENDPOINT_NOT_FOUND', route: null })
    const unauthenticated = await service.http.get(intents).set({ Authorization: 'Bearer sk_test_no' })
    expect(await lineOf(unauthenticated)).to.include({ status: 401, code: 'INVALID_API_KEY', keyId: null })
    const getLine = { method: 'GET', status: 200 }
    expect(await lineOf(await service.http.get(intents).set(read()))).to.include(getLine)
  })

  it('names the key and business of a request whose key is known but not allowed', async () => {
    const change = (what: BusinessChange) => (merchant: Merchant) =>
      changeAsOperator(service, merchant.businessId, what)
    const refused: [string, Partial<KeyOptions>, (merchant: Merchant) => Promise<unknown>][] = [
      ['API_ACCESS_NOT_ACTIVE', {}, ({ keyId }) => setKeyStatus(service.deps, keyId, 'suspended', tester)],
      ['FEATURE_DISABLED', {}, change({ suspended: true })],
      ['LIVE_ACCESS_NOT_APPROVED', { mode: 'live' }, change({ liveApproved: false })],
      ['IP_NOT_ALLOWED', { ipAllowlist: ['192.0.2.1'] }, async () => undefined],
    ]
    for (const [code, options, refuse] of refused) {
      const merchant = await service.merchant(options)
      await refuse(merchant)
      const { keyId, businessId, read } = merchant
      const sandbox = code !== 'LIVE_ACCESS_NOT_APPROVED'
      const line = await lineOf(await service.http.get(intents).set(read()))
      expect(line).to.include({ code, keyId, businessId, sandbox })
    }
  })

  it('contains one line for bytes that are not a valid request', async () => {
    const [response] = await sendRaw(service.origin, 'noise\r\n\r\n')
    const line = await lineOfRaw(response)
    expect(line).to.include({ msg: 'http.request', status: 400, code: 'VALIDATION_ERROR', ip: '127.0.0.1' })
    expect(line).to.have.all.keys(await lineOf(await service.http.get('/healthz')))
  })

  it('contains one line for an incomplete request, with its request id and error code', async () => {
    const { write, keyId, businessId } = await service.merchant()
    const { origin, close } = await openServer(service)
    async function breakOff(framing: string, beginning: string, isEnded: boolean) {
      const socket = await connectTo(origin)
      socket.write(postHead(intents, write(), framing, 'Expect: 100-continue'))
      await once(socket, 'data')
      if (isEnded) socket.end(beginning)
      else socket.write(beginning)
      return readResponses(socket)
    }
    const start = lines().length
    const sent = [
      [408, 'REQUEST_TIMEOUT', breakOff('Content-Length: 5000', '{', false)],
      [400, 'VALIDATION_ERROR', breakOff('Transfer-Encoding: chunked', 'x\r\n', false)],
      [400, 'VALIDATION_ERROR', breakOff('Content-Length: 12', '{"am', true)],
    ] as const
    for (const [status, code, responses] of sent) {
      const [response] = await responses
      expectFailure(response, status, code)
      const line = await lineOfRaw(response)
      expect(line).to.include({ method: 'POST', route: 'POST /dev/intents', status, code })
      expect(line).to.include({ keyId, businessId, sandbox: true })
      expect(line.durationMs).to.be.a('number')
    }
    const refused = await connectTo(origin)
    refused.write(postHead(intents, write(), 'Content-Length: 9000000'))
    const [response] = responsesOf(String(await once(refused, 'data')))
    refused.destroy()
    const code = 'PAYLOAD_TOO_LARGE'
    expectFailure(response, 413, code)
    expect(await lineOfRaw(response)).to.include({ method: 'POST', status: 413, code, keyId })
    await close()
    const later = lines().slice(start)
    const requests = later.filter(({ msg }) => msg === 'http.request')
    expect(requests).to.have.lengthOf(sent.length + 1)
  })

  it("contains the client's address from a trusted proxy and nothing else from X-Forwarded-For", async () => {
    const app = createApp({ ...service.deps, config: { ...service.deps.config, trustProxy: ['127.0.0.1'] } })
    const { origin, close } = await openServer(service, shortTimeouts, app)
    const wireFrom = (from: string) =>
      crlf('GET /healthz HTTP/1.1', 'Host: a', `X-Forwarded-For: ${from}`, 'Connection: close', '', '')
    const start = lines().length
    const reported = ['::ffff:192.0.2.7', '<script>0', '[2001:db8::1]:443', 'unknown', 'unix:', '']
    const wires = ['noise\r\n\r\n', ...reported.map(wireFrom)].map((wire) => sendRaw(origin, wire))
    const seen = []
    for (const [response] of await Promise.all(wires)) seen.push((await lineOfRaw(response)).ip)
    await close()
    expect(seen).to.deep.equal([null, '192.0.2.7', null, '2001:db8::1', null, null, null])
    const later = lines().slice(start)
    const warnings = later.filter(({ msg }) => msg === 'client.unreported')
    expect(warnings).to.have.lengthOf(1)
    expect(warnings[0]).to.include({ level: 40, proxy: '127.0.0.1' })
  })

  it("contains an unexpected error's message, which the response omits", async () => {
    const { write } = await service.merchant()
    const { insertIntent } = service.deps.batchers
    service.deps.batchers.insertIntent = async () => {
      service.deps.batchers.insertIntent = insertIntent
      throw new Error('a bug')
    }
    const logged = await bothLines(await post(write(), { amount: 5 }).expect(500))
    expect(logged.map(({ msg }) => msg)).to.have.members(['request.failed', 'http.request'])
    expect(logged.find(({ msg }) => msg === 'request.failed')).to.have.nested.property('err.message', 'a bug')
  })

  it('reports an unexpected error before the first database call as a 500, not as a MongoDB error', async () => {
    const { read } = await service.merchant()
    const { findKey } = service.deps.batchers
    service.deps.batchers.findKey = async () => {
      service.deps.batchers.findKey = findKey
      return service.deps.ApiKey.findOne({ createdAt: 'Hidden' }).lean<never>()
    }
    const response = await service.http.get(intents).set(read()).expect(500)
    expect(response.body.error.code).to.equal('INTERNAL_ERROR')
    const failure = (await bothLines(response)).find(({ msg }) => msg === 'request.failed')
    expect(failure).to.have.nested.property('err.name', 'CastError')
  })

  it('reports a MongoDB error by code, once for all requests that fail at about the same time', async () => {
    const start = recorded.text.length
    const own = await openService({}, service.deps.log)
    const { read } = await own.merchant()
    const database = own.deps.mongo.db
    await database?.collection('apikeys').drop()
    // A query to this view fails, with a name quoted in the error.
    const pipeline = [{ $set: { 'secrets.hash': { $toInt: '$name' } } }]
    await database?.createCollection('apikeys', { viewOn: 'businesses', pipeline })
    const responses = await Promise.all(Array.from({ length: 5 }, () => own.http.get(intents).set(read())))
    await database?.dropCollection('apikeys')
    await own.close()
    for (const { status, body } of responses)
      expect([status, body.error.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE'])
    const logged = lines().filter(({ msg }) => msg === 'mongodb.failed')
    expect(logged).to.have.lengthOf(1)
    expect(logged[0]).to.have.nested.include({ level: 40, 'err.name': 'MongoServerError', 'err.code': 241 })
    expect(responses.map(({ headers }) => headers['x-request-id'])).to.include(logged[0]?.requestId)
    expect(recorded.text.slice(start)).not.to.include('Épicerie')
  })

  it('contains no key, code, secret, idempotency key, label, metadata, URL or body', async () => {
    const merchant = await service.merchant()
    const other = await service.key(merchant.businessId, { kind: 'publishable' })
    const secrets = [merchant.key, other.key, merchant.key.slice(8, 40)]
    const write = (name: string) => {
      secrets.push(`Very-Secret-${name}`)
      return merchant.write(`Very-Secret-${name}`)
    }
    const urls = { success_url: 'https://hidden-shop.example/back' }
    const metadata = { hiddenKey: 'Hidden Value' }
    const body = { amount: 4_242_424, label: 'Hidden Label', metadata, ...urls }
    secrets.push('4242424', 'Hidden', 'hiddenKey', 'hidden-shop', 'hidden-hook', 'HiddenQuery')
    const { code, referenceNumber, shortCode } = (await post(write('create'), body).expect(201)).body.data
    secrets.push(`"${code}"`, `:${code}`, shortCode)
    await post(merchant.write('Very-Secret-create'), body).expect(201)
    await service.http.get(`${intents}/${referenceNumber}?q=HiddenQuery`).set(merchant.read()).expect(400)
    await service.http.post(`${intents}/${referenceNumber}/cancel`).set(write('cancel')).expect(200)
    const hook = { url: 'https://hidden-hook.example/hook', events: ['payment.created'] }
    const adding = service.http.post('/api/v1/dev/webhooks/endpoints').set(write('endpoint')).send(hook)
    const made = (await adding.expect(201)).body.data
    secrets.push(made.secret, made.standardSecret)
    await post(write('bad'), { ...body, amount: 0, label: 'Hidden'.repeat(99) }).expect(400)
    await post({ ...write('worse'), 'Content-Type': 'application/json' }, '{"Hidden').expect(400)
    for (const Authorization of [`Bearer ${merchant.key}x`, merchant.key])
      await service.http.get(intents).set({ Authorization }).expect(401)
    await post({ Authorization: `Bearer ${other.key}`, 'X-Idempotency-Key': 'Hidden' }).expect(403)
    const twice = `X-Idempotency-Key: Hidden\r\nX-Idempotency-Key: Hidden\r\nAuthorization: Bearer ${merchant.key}`
    for (const head of [
      [`POST ${intents} HTTP/1.1`, 'Host: a', 'Connection: close', twice],
      ['GET /Hidden HTTP/1.1', twice, 'no header'],
    ])
      await sendRaw(service.origin, crlf(...head, '', ''))
    excuse([service.deps.mongo.name])
    // MongoDB quotes a unique index's values in its error message.
    const { insertIntent } = service.deps.batchers
    service.deps.batchers.insertIntent = async (intent) => {
      service.deps.batchers.insertIntent = insertIntent
      secrets.push(`:${intent.code}`)
      await service.deps.Intent.collection.insertOne({ _id: intent._id, codeKey: intent.codeKey } as never)
      await service.deps.Intent.collection.insertOne({ codeKey: intent.codeKey })
      throw new Error('not reached')
    }
    const logged = await bothLines(await post(write('refused'), body).expect(503))
    expect(logged.find(({ msg }) => msg === 'mongodb.failed')).to.have.nested.property('err.code', 11_000)
    for (const secret of secrets) expect(recorded.text, secret).not.to.include(secret)
  })

  it("reports the driver's socket errors as MongoDB errors", async () => {
    const { read } = await service.merchant()
    const { findKey } = service.deps.batchers
    for (const code of ['EPIPE', 'ECONNRESET']) {
      service.deps.batchers.findKey = () => {
        service.deps.batchers.findKey = findKey
        return Promise.reject(Object.assign(new Error('The socket has ended'), { code }))
      }
      const { status, body } = await service.http.get(intents).set(read())
      expect([status, body.error.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE'])
    }
  })
})
