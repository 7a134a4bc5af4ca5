import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createApiHeaders } from '../../src/http/responses/envelope.ts'
import { withMerchant, withService } from '../support/service.ts'
import { expectFailure, postHead, sendRaw } from './raw-request.ts'
import { expectRefused } from './refused.ts'

const json = 'application/json; charset=utf-8'
/** E.g. Content-Type. */
const titled = (name: string): string => name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const intents = '/api/v1/dev/intents'

describe('A response', () => {
  const service = withService()
  const merchant = withMerchant(service)

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

    it('lets browsers send every request that a publishable key may make and read the response', async () => {
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

    it('omits Access-Control-Allow-Origin if no publishable key may make the request', async () => {
      const forPost = { ...origin, 'Access-Control-Request-Method': 'POST' }
      const responses = await Promise.all([
        service.http.options(intents).set(forPost).expect(404),
        service.http.options(`${intents}/PI-1/cancel`).set(forGet).expect(404),
        service.http.options(`${intents}/PI-1`).expect(404),
        service.http.options(`${intents}/PI-1`).set(origin).expect(404),
        service.http.get(intents).set(origin).set(merchant.read()).expect(200),
        service.http.post(`${intents}/PI-1/cancel`).set(origin).set(merchant.write()).expect(404),
      ])
      for (const { headers } of responses) expect(headers).not.to.have.property('access-control-allow-origin')
    })
  })

  it('reports an invalid query parameter even if it comes after more than a thousand others', async () => {
    const { status } = await service.http.get(`${intents}?${'&x'.repeat(1500)}&limit=0`).set(merchant.read())
    expect(status).to.equal(400)
  })

  describe('to a request with an unknown URL or method', () => {
    const unknown = [
      ['/api/v1', '/api/v1/dev', '/api/v1/dev/nothing', '/api/v2/dev/intents', '/dev/intents'],
      ['/api/v1/dev/intents/', '/api/v1/dev/Intents', '/api/v1/dev/intents/PI-1/nothing', '/favicon.ico'],
    ].flat()
    it('is 404 ENDPOINT_NOT_FOUND, even if the request has no credentials', async () => {
      for (const path of unknown) {
        const { status, body, headers } = await service.http.get(path)
        expect([status, headers['content-type']], path).to.deep.equal([404, json])
        expect(headers).not.to.have.property('allow')
        expect(body.success).to.equal(false)
        const requestId = headers['x-request-id']
        expect(body.error).to.include({ code: 'ENDPOINT_NOT_FOUND', statusCode: 404, requestId })
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
    for (const [method, path, allow] of methods)
      it(`is 404 ENDPOINT_NOT_FOUND with an Allow header if the request is ${method.toUpperCase()} ${path}`, async () => {
        const { headers } = await expectRefused(service.http[method](path), 404, 'ENDPOINT_NOT_FOUND')
        expect(headers.allow?.split(', ')).to.have.members(allow.split(', '))
      })
  })

  it('has the same headers for HEAD as for GET but no body', async () => {
    const { status, headers, text } = await service.http.head(intents).set(merchant.read())
    expect(status).to.equal(200)
    expect(headers['content-type']).to.equal(json)
    expect(Number(headers['content-length'])).to.be.greaterThan(2)
    expect(text ?? '').to.equal('')
    await service.http.head(intents).expect(401)
  })

  it('contains an error if the path cannot be decoded', async () => {
    for (const path of [`${intents}/%`, `${intents}/%E0%A4%A`, `${intents}/%ff/cancel`]) {
      const { status, body, headers } = await service.http.get(path).set(merchant.read())
      expect(status, path).to.be.oneOf([400, 404])
      expect(headers['content-type']).to.equal(json)
      expect(body).to.have.property('success', false)
    }
  })

  describe('to a request with a body', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
    type Unreadable = [what: string, status: number, code: string, body: () => string | Buffer, type?: string]
    const latin1 = 'application/json; charset=iso-8859-1'
    const unreadable: Unreadable[] = [
      ['incomplete JSON', 400, 'INVALID_JSON', () => '{"amount":5'],
      ['text that is not JSON', 400, 'INVALID_JSON', () => 'amount=5'],
      ['invalid UTF-8', 400, 'INVALID_JSON', () => Buffer.from('{"amount":5,"label":"\xff"}', 'latin1')],
      ['nine levels of nested objects', 400, 'INVALID_JSON', () => nested(9)],
      ['10 KB of opening brackets', 400, 'INVALID_JSON', () => '['.repeat(10_000)],
      ['100 000 nested arrays', 400, 'INVALID_JSON', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
      [
        '600 KB of JSON',
        413,
        'PAYLOAD_TOO_LARGE',
        () => JSON.stringify({ amount: 5, x: 'x'.repeat(600_000) }),
      ],
      ['a form', 415, 'UNSUPPORTED_MEDIA_TYPE', () => 'amount=5', 'application/x-www-form-urlencoded'],
      [
        'JSON with the media type text/plain',
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        () => '{"amount":5}',
        'text/plain',
      ],
      ['JSON in a different charset', 415, 'UNSUPPORTED_MEDIA_TYPE', () => '{"amount":5}', latin1],
    ]
    for (const [what, status, code, body, type = 'application/json'] of unreadable)
      it(`is ${status} ${code} for ${what}`, async () => {
        const before = await service.deps.Intent.countDocuments()
        const response = await expectRefused(write({ 'Content-Type': type }, body()), status, code)
        expect(response.headers['content-type']).to.equal(json)
        expect(response.body.error.requestId).to.equal(response.headers['x-request-id'])
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

    it('is 201 if the body has eight levels of nesting, charset=UTF-8 or the maximum number of escapes', async () => {
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
