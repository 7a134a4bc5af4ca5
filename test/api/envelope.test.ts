import { gzipSync } from 'node:zlib'
import { createApiHeaders } from '../../src/http/responses/envelope.ts'
import { intents, withServiceAndMerchant } from '../support/service.ts'
import { expectFailure, postHead, sendRaw } from './raw-request.ts'
import { expectRefused } from './refused.ts'

const json = 'application/json; charset=utf-8'
const titled = (name: string): string => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

describe('A response', () => {
  const { service, merchant } = withServiceAndMerchant()
  const write = (headers: Record<string, string>, body: string | Buffer) =>
    service.http
      .post(intents)
      .set({ ...merchant.write(), 'Content-Type': 'application/json', ...headers })
      .serialize((raw: unknown) => raw as string)
      .send(body)

  describe('to a successful request', () => {
    it('contains only success and data, is UTF-8 JSON and has Cache-Control: no-store', async () => {
      const { body, headers } = await service.http.get(intents).set(merchant.read()).expect(200)
      expect(body).to.have.all.keys('success', 'data')
      expect(body.success).to.equal(true)
      expect(headers).to.include({ 'content-type': json, 'cache-control': 'no-store' })
      expect(headers).not.to.have.property('x-powered-by')
      expect(headers).not.to.have.property('etag')
    })

    it('has a unique X-Request-Id, even if the client sends one', async () => {
      const read = () => service.http.get(intents).set({ ...merchant.read(), 'X-Request-Id': 'mine' })
      const responses = await Promise.all(Array.from({ length: 5 }, read))
      const ids = responses.map(({ headers }) => headers['x-request-id'])
      for (const id of ids) expect(id).to.match(uuid)
      expect(new Set(ids)).to.have.property('size', 5)
    })
  })

  describe('with security headers', () => {
    const always = {
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none';base-uri 'none';frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    }

    it('forbids MIME sniffing, framing and caching, whatever its status', async () => {
      const responses = await Promise.all([
        service.http.get(intents).set(merchant.read()).expect(200),
        service.http.get('/api/v1/dev/store/products/export-csv').set(merchant.read()).expect(200),
        service.http.get(intents).expect(401),
        service.http.get('/nothing').expect(404),
        service.http.get('/healthz').expect(200),
      ])
      for (const { headers } of responses) expect(headers).to.include(always)
      const [malformed] = await sendRaw(service.origin, 'noise\r\n\r\n')
      expect(Object.fromEntries(malformed?.headers ?? [])).to.include(always)
      expect(responses[0]?.headers).not.to.have.property('strict-transport-security')
    })

    it('tells browsers to use only https if the service runs in production with an https PUBLIC_URL', () => {
      const names = (production: boolean, publicUrl: string) =>
        Object.fromEntries(createApiHeaders({ production, publicUrl }))
      expect(names(true, 'https://pay.example')).to.include({
        ...Object.fromEntries(Object.entries(always).map(([name, value]) => [titled(name), value])),
        'Strict-Transport-Security': 'max-age=31536000',
      })
      expect(names(true, 'http://localhost')).not.to.have.property('Strict-Transport-Security')
      expect(names(false, 'https://pay.example')).not.to.have.property('Strict-Transport-Security')
    })
  })

  describe('with CORS headers', () => {
    const origin = { Origin: 'https://shop.example' }
    const forGet = { ...origin, 'Access-Control-Request-Method': 'GET' }

    it('lets browsers send every request that a publishable key allows, and read the response', async () => {
      const { key } = await service.key(merchant.businessId, { kind: 'publishable' })
      const made = await service.http.post(intents).set(merchant.write()).send({ amount: 5 })
      const path = `${intents}/${made.body.data.referenceNumber}`
      const preflight = await service.http.options(path).set(forGet).expect(200)
      expect(preflight.body).to.deep.equal({ success: true, data: null })
      expect(preflight.headers).to.include({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': 'Authorization, Content-Type',
      })
      const signed = { ...origin, Authorization: `Bearer ${key}` }
      const responses = await Promise.all([
        service.http.get(path).set(signed).expect(200),
        service.http.get(`${intents}/PI-1`).set(signed).expect(404),
        service.http.get(path).set(origin).expect(401),
      ])
      for (const { headers } of responses) expect(headers).to.include({ 'access-control-allow-origin': '*' })
    })

    it('omits Access-Control-Allow-Origin if no publishable key allows the request', async () => {
      const forPost = { ...origin, 'Access-Control-Request-Method': 'POST' }
      const path = `${intents}/PI-1`
      const responses = await Promise.all([
        service.http.options(intents).set(forPost).expect(404),
        service.http.options(`${path}/cancel`).set(forGet).expect(404),
        service.http.options(path).expect(404),
        service.http.options(path).set(origin).expect(404),
        service.http.get(intents).set(origin).set(merchant.read()).expect(200),
        service.http.post(`${path}/cancel`).set(origin).set(merchant.write()).expect(404),
      ])
      for (const { headers } of responses) expect(headers).not.to.have.property('access-control-allow-origin')
    })
  })

  it('reports an invalid query parameter even if it comes after more than a thousand others', async () => {
    const { status } = await service.http.get(`${intents}?${'&x'.repeat(1500)}&limit=0`).set(merchant.read())
    expect(status).to.equal(400)
  })

  describe('to a request with an unknown URL or method', () => {
    it('is 404 ENDPOINT_NOT_FOUND, even if the request has no credentials', async () => {
      const paths = ['', '/dev', '/dev/nothing', '/dev/intents/', '/dev/Intents', '/dev/intents/PI-1/nothing']
      const below = paths.map((path) => `/api/v1${path}`)
      for (const path of [...below, '/api/v2/dev/intents', '/dev/intents', '/favicon.ico']) {
        const { body, headers } = await expectRefused(service.http.get(path), 404, 'ENDPOINT_NOT_FOUND')
        expect(headers).to.include({ 'content-type': json, 'x-request-id': body.error.requestId })
        expect(headers).not.to.have.property('allow')
      }
    })
    const methods = [
      ['delete', intents, 'POST, GET, HEAD'],
      ['put', `${intents}/PI-1`, 'GET, HEAD'],
      ['get', `${intents}/PI-1/cancel`, 'POST'],
      ['patch', '/api/v1/dev/webhooks/endpoints', 'POST'],
      ['post', '/api/v1/dev/webhooks', 'GET, HEAD'],
      ['options', intents, 'POST, GET, HEAD'],
    ] as const
    it('is 404 ENDPOINT_NOT_FOUND with an Allow header if the path does not support the method', async () => {
      for (const [method, path, allow] of methods) {
        const { headers } = await expectRefused(service.http[method](path), 404, 'ENDPOINT_NOT_FOUND')
        expect(headers).to.include({ allow })
      }
    })
  })

  it('has the same headers for HEAD as for GET, but no body', async () => {
    const { status, headers, text } = await service.http.head(intents).set(merchant.read())
    expect([status, headers['content-type'], text ?? '']).to.deep.equal([200, json, ''])
    expect(Number(headers['content-length'])).to.be.greaterThan(2)
    await service.http.head(intents).expect(401)
  })

  it('is an error if the path cannot be decoded', async () => {
    for (const path of [`${intents}/%`, `${intents}/%E0%A4%A`, `${intents}/%ff/cancel`]) {
      const { status, body, headers } = await service.http.get(path).set(merchant.read())
      expect(status, path).to.be.oneOf([400, 404])
      expect(headers['content-type']).to.equal(json)
      expect(body).to.have.property('success', false)
    }
  })

  describe('to a request with a body', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
    type Unreadable = [what: string, body: () => string | Buffer, type?: string]
    const unreadable: Record<string, Unreadable[]> = {
      '400 INVALID_JSON': [
        ['incomplete JSON', () => '{"amount":5'],
        ['text that is not JSON', () => 'amount=5'],
        ['invalid UTF-8', () => Buffer.from('{"amount":5,"label":"\xff"}', 'latin1')],
        ['nine levels of nested objects', () => nested(9)],
        ['10 KB of opening brackets', () => '['.repeat(10_000)],
        ['100 000 nested arrays', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
      ],
      '413 PAYLOAD_TOO_LARGE': [
        ['600 KB of JSON', () => JSON.stringify({ amount: 5, x: 'x'.repeat(600_000) })],
      ],
      '415 UNSUPPORTED_MEDIA_TYPE': [
        ['a form', () => 'amount=5', 'application/x-www-form-urlencoded'],
        ['JSON with the media type text/plain', () => '{"amount":5}', 'text/plain'],
        ['JSON in a different charset', () => '{"amount":5}', 'application/json; charset=iso-8859-1'],
      ],
    }
    for (const [refusal, cases] of Object.entries(unreadable))
      it(`is ${refusal} for ${cases.map(([what]) => what).join(', ')}`, async () => {
        const [status, code = ''] = refusal.split(' ')
        const before = await service.deps.Intent.countDocuments()
        for (const [, body, type = 'application/json'] of cases) {
          const request = write({ 'Content-Type': type }, body())
          const { headers, body: sent } = await expectRefused(request, Number(status), code)
          expect(headers).to.include({ 'content-type': json, 'x-request-id': sent.error.requestId })
        }
        expect(await service.deps.Intent.countDocuments()).to.equal(before)
      })

    it('is 415 UNSUPPORTED_MEDIA_TYPE if the body is compressed', async () => {
      const compressed = write({ 'Content-Encoding': 'gzip' }, gzipSync('{"amount":5}'))
      await expectRefused(compressed, 415, 'UNSUPPORTED_MEDIA_TYPE')
    })

    it('is 415 UNSUPPORTED_MEDIA_TYPE if the body has no content type', async () => {
      const typed = postHead(intents, merchant.write(), 'Connection: close', 'Content-Length: 12')
      const untyped = typed.replace(/Content-Type: .*\r\n/, '')
      const [response] = await sendRaw(service.origin, `${untyped}{"amount":5}`)
      expectFailure(response, 415, 'UNSUPPORTED_MEDIA_TYPE')
    })

    it('is 201 if the body has eight levels of nesting, charset=UTF-8 or the maximum number of escaped characters', async () => {
      const deep = JSON.stringify({ amount: 5, x: JSON.parse(nested(7)) })
      const named = { 'Content-Type': 'application/json; charset=UTF-8' }
      const metadata = Array.from({ length: 50 }, (_, n) => `"${String(n)}":"${'\\u00e9'.repeat(500)}"`)
      const escaped = `{"amount":5,"metadata":{${metadata.join(',')}}}`
      const requests = [write({}, deep), write(named, '{"amount":5}'), write({}, escaped)]
      for (const { status, text } of await Promise.all(requests))
        expect(status, text.slice(0, 200)).to.equal(201)
    })
  })
})
