import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { createApp } from '../../src/app.ts'
import { createHttpServer } from '../../src/http/listen.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'
import { answersOf, crlf, type RawAnswer, readRaw, sendRaw } from './raw-request.ts'

const json = 'application/json; charset=utf-8'
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const intents = '/api/v1/dev/intents'

describe('The envelope', () => {
  let house: House
  let merchant: Merchant
  before(async () => {
    house = await openHouse()
    merchant = await house.merchant()
  })
  after(() => house.close())

  const write = (headers: Record<string, string>, body: string | Buffer) =>
    house.http
      .post(intents)
      .set({ ...merchant.write(), 'Content-Type': 'application/json', ...headers })
      .serialize((raw: unknown) => raw as string)
      .send(body)

  /** The head of a create, up to its body. */
  const headOf = (path: string, ...headers: string[]) =>
    crlf(
      `POST ${path} HTTP/1.1`,
      'Host: a',
      'Content-Type: application/json',
      ...Object.entries(merchant.write()).map(([name, value]) => `${name}: ${value}`),
      ...headers,
      '',
      '',
    )

  function expectFailure(answer: RawAnswer | undefined, status: number, code: string) {
    expect(answer?.status).to.equal(status)
    expect(answer?.headers.get('content-type')).to.equal(json)
    const requestId = answer?.headers.get('x-request-id')
    expect(requestId).to.match(uuid)
    const { success, error } = JSON.parse(answer?.body ?? '')
    expect(success).to.equal(false)
    expect(error).to.include({ code, statusCode: status, requestId })
    expect(['code', 'message', 'statusCode', 'requestId', 'param', 'details']).to.include.members(
      Object.keys(error),
    )
    expect(error.message).to.match(/\w/)
  }

  describe('of a success', () => {
    it('is exactly success and data, as JSON in UTF-8, never kept by a cache', async () => {
      const { body, headers } = await house.http.get(intents).set(merchant.read()).expect(200)
      expect(body).to.have.all.keys('success', 'data')
      expect(body.success).to.equal(true)
      expect(headers).to.include({ 'content-type': json, 'cache-control': 'no-store' })
      expect(headers).not.to.have.property('x-powered-by')
      expect(headers).not.to.have.property('etag')
    })

    it('has a fresh X-Request-Id in every answer', async () => {
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => house.http.get(intents).set(merchant.read())),
      )
      const ids = answers.map(({ headers }) => headers['x-request-id'])
      for (const id of ids) expect(id).to.match(uuid)
      expect(new Set(ids)).to.have.property('size', 5)
    })

    it('does not take the X-Request-Id of a caller for its own', async () => {
      const { headers } = await house.http.get(intents).set({ ...merchant.read(), 'X-Request-Id': 'mine' })
      expect(headers['x-request-id']).to.match(uuid)
    })
  })

  describe('of an address that is not there', () => {
    const unknown = [
      '/api/v1',
      '/api/v1/dev',
      '/api/v1/dev/nothing',
      '/api/v2/dev/intents',
      '/dev/intents',
      '/api/v1/dev/intents/',
      '/api/v1/dev/Intents',
      '/api/v1/dev/intents/PI-1/nothing',
      '/favicon.ico',
    ]
    for (const path of unknown)
      it(`is 404 ENDPOINT_NOT_FOUND for ${path}, before any credentials are asked for`, async () => {
        const { status, body, headers } = await house.http.get(path)
        expect(status).to.equal(404)
        expect(headers['content-type']).to.equal(json)
        expect(headers).not.to.have.property('allow')
        expect(body.success).to.equal(false)
        expect(body.error).to.include({
          code: 'ENDPOINT_NOT_FOUND',
          statusCode: 404,
          requestId: headers['x-request-id'],
        })
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
      it(`is 404 ENDPOINT_NOT_FOUND with Allow for ${method.toUpperCase()} ${path}`, async () => {
        const { status, body, headers } = await house.http[method](path)
        expect(status).to.equal(404)
        expect(body.error.code).to.equal('ENDPOINT_NOT_FOUND')
        expect(headers.allow?.split(', ')).to.have.members(allow.split(', '))
      })
  })

  it('answers HEAD with the headers of GET and no body', async () => {
    const { status, headers, text } = await house.http.head(intents).set(merchant.read())
    expect(status).to.equal(200)
    expect(headers['content-type']).to.equal(json)
    expect(Number(headers['content-length'])).to.be.greaterThan(2)
    expect(text ?? '').to.equal('')
    const refused = await house.http.head(intents)
    expect(refused.status).to.equal(401)
  })

  it('stands around a path that cannot be decoded', async () => {
    for (const path of [`${intents}/%`, `${intents}/%E0%A4%A`, `${intents}/%ff/cancel`]) {
      const { status, body, headers } = await house.http.get(path).set(merchant.read())
      expect(status, path).to.be.oneOf([400, 404])
      expect(headers['content-type']).to.equal(json)
      expect(body).to.have.property('success', false)
    }
  })

  describe('of what is no HTTP that can be served', () => {
    const malformed: [what: string, status: number, code: string, ...parts: string[]][] = [
      ['noise', 400, 'VALIDATION_ERROR', 'noise\r\n\r\n'],
      ['an unknown method', 400, 'VALIDATION_ERROR', crlf('BREW / HTTP/1.1', 'Host: a', '', '')],
      [
        'a header without a colon',
        400,
        'VALIDATION_ERROR',
        crlf(`GET ${intents} HTTP/1.1`, 'Host: a', 'oops', '', ''),
      ],
      ['no Host', 400, 'VALIDATION_ERROR', crlf(`GET ${intents} HTTP/1.1`, 'Connection: close', '', '')],
      [
        'two Hosts',
        400,
        'VALIDATION_ERROR',
        crlf(`GET ${intents} HTTP/1.1`, 'Host: a', 'Host: b', 'Connection: close', '', ''),
      ],
      [
        'HTTP/2.0 in the request line',
        400,
        'VALIDATION_ERROR',
        crlf(`GET ${intents} HTTP/2.0`, 'Host: a', 'Connection: close', '', ''),
      ],
      [
        'an address without an end',
        400,
        'VALIDATION_ERROR',
        crlf(`GET http://[::1${intents} HTTP/1.1`, 'Host: a', '', ''),
      ],
      [
        'an address without an end, to nowhere',
        400,
        'VALIDATION_ERROR',
        crlf('POST http://[ HTTP/1.1', 'Host: a', '', ''),
      ],
      [
        'two lengths',
        400,
        'VALIDATION_ERROR',
        crlf(`POST ${intents} HTTP/1.1`, 'Host: a', 'Content-Length: 2', 'Content-Length: 3', '', '{}'),
      ],
      [
        'a length and chunks',
        400,
        'VALIDATION_ERROR',
        crlf(
          `POST ${intents} HTTP/1.1`,
          'Host: a',
          'Content-Length: 2',
          'Transfer-Encoding: chunked',
          '',
          '{}',
        ),
      ],
      [
        'an expectation',
        400,
        'VALIDATION_ERROR',
        crlf(`GET ${intents} HTTP/1.1`, 'Host: a', 'Expect: a-miracle', '', ''),
      ],
      ['CONNECT', 404, 'ENDPOINT_NOT_FOUND', crlf('CONNECT a:443 HTTP/1.1', 'Host: a:443', '', '')],
      [
        'headers of 20 KB',
        431,
        'HEADERS_TOO_LARGE',
        crlf(`GET ${intents} HTTP/1.1`, 'Host: a', `X-Long: ${'x'.repeat(20_000)}`, '', ''),
      ],
      [
        'a request line of 20 KB',
        431,
        'HEADERS_TOO_LARGE',
        crlf(`GET ${intents}?${'x'.repeat(20_000)} HTTP/1.1`, 'Host: a', '', ''),
      ],
      [
        'more than 100 headers',
        431,
        'HEADERS_TOO_LARGE',
        crlf(
          `GET ${intents} HTTP/1.1`,
          'Host: a',
          'Connection: close',
          ...Array.from({ length: 99 }, (_, n) => `X-${n}: 1`),
          '',
          '',
        ),
      ],
    ]
    for (const [what, status, code, ...parts] of malformed)
      it(`is ${status} ${code} for ${what}`, async () => {
        const answers = await sendRaw(house.origin, ...parts)
        expect(answers).to.have.lengthOf(1)
        expectFailure(answers[0], status, code)
      })

    it('stands around a body in broken chunks, of which nothing is done', async () => {
      const head = crlf(
        `POST ${intents} HTTP/1.1`,
        'Host: a',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        ...Object.entries(merchant.write()).map(([name, value]) => `${name}: ${value}`),
        '',
        '',
      )
      const before = await house.deps.Intent.countDocuments()
      const answers = await sendRaw(house.origin, head, crlf('6', '{"amou', 'zz', 'nt":5}', '0', '', ''))
      expect(answers).to.have.lengthOf(1)
      expectFailure(answers[0], 400, 'VALIDATION_ERROR')
      expect(await house.deps.Intent.countDocuments()).to.equal(before)
    })

    it('is 400 VALIDATION_ERROR for a coding that is not chunked, of which nothing is done', async () => {
      const before = await house.deps.Intent.countDocuments()
      const answers = await Promise.all(
        ['gzip, chunked', 'gzip', 'identity', 'chunked, chunked'].map((coding) => {
          const head = headOf(intents, `Transfer-Encoding: ${coding}`, 'Connection: close')
          return sendRaw(house.origin, head, crlf('c', '{"amount":5}', '0', '', ''))
        }),
      )
      for (const [answer, ...more] of answers) {
        expectFailure(answer, 400, 'VALIDATION_ERROR')
        expect(more).to.deep.equal([])
      }
      expect(await house.deps.Intent.countDocuments()).to.equal(before)
      const spelt = headOf(intents, 'Transfer-Encoding: Chunked', 'Connection: close')
      const [created] = await sendRaw(house.origin, spelt, crlf('c', '{"amount":5}', '0', '', ''))
      expect(created?.status).to.equal(201)
    })

    it('never says 400 of a create that is done because noise follows it on the connection', async () => {
      const before = await house.deps.Intent.countDocuments()
      const [answer] = await sendRaw(
        house.origin,
        crlf(
          `POST ${intents} HTTP/1.1`,
          'Host: a',
          'Content-Type: application/json',
          'Content-Length: 12',
          ...Object.entries(merchant.write()).map(([name, value]) => `${name}: ${value}`),
          '',
          '{"amount":5}noise',
        ),
      )
      expect(answer?.status).to.equal(201)
      expect(await house.deps.Intent.countDocuments()).to.equal(before + 1)
    })

    it('serves exactly 100 headers, and a body after 100 Continue', async () => {
      const filled = Array.from({ length: 97 }, (_, n) => `X-${n}: 1`)
      const key = `Authorization: Bearer ${merchant.key}`
      const listed = await sendRaw(
        house.origin,
        crlf(`GET ${intents} HTTP/1.1`, 'Host: a', 'Connection: close', key, ...filled, '', ''),
      )
      expect(listed[0]?.status).to.equal(200)
      const created = await sendRaw(
        house.origin,
        crlf(
          `POST ${intents} HTTP/1.1`,
          'Host: a',
          'Connection: close',
          'Expect: 100-continue',
          key,
          'X-Idempotency-Key: after-100-continue',
          'Content-Type: application/json',
          'Content-Length: 12',
          '',
          '{"amount":5}',
        ),
      )
      expect(created[0]?.status).to.equal(201)
    })
  })

  describe('of a request that does not arrive in time', () => {
    let origin: string
    let close: () => Promise<unknown>
    before(async () => {
      // The same server with less patience; the limits themselves are 15 s and 30 s.
      const server = createHttpServer(
        createApp(house.deps, () => false),
        house.deps.log,
      )
      expect(server).to.include({ headersTimeout: 15_000, requestTimeout: 30_000 })
      server.headersTimeout = 300
      server.requestTimeout = 600
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      close = () => new Promise((resolve) => server.close(resolve))
    })
    after(() => close())

    it('is 408 REQUEST_TIMEOUT, for headers as for a body', async () => {
      const headers = crlf(
        `POST ${intents} HTTP/1.1`,
        'Host: a',
        'Content-Type: application/json',
        'Content-Length: 12',
        ...Object.entries(merchant.write()).map(([name, value]) => `${name}: ${value}`),
      )
      const before = await house.deps.Intent.countDocuments()
      const [half, bodyless] = await Promise.all([
        sendRaw(origin, headers),
        sendRaw(origin, headers, '\r\n\r\n{"amou'),
      ])
      expect(half).to.have.lengthOf(1)
      expectFailure(half[0], 408, 'REQUEST_TIMEOUT')
      expect(bodyless).to.have.lengthOf(1)
      expectFailure(bodyless[0], 408, 'REQUEST_TIMEOUT')
      expect(await house.deps.Intent.countDocuments()).to.equal(before)
    })

    it('is not said a second time of a request that was answered without its body', async () => {
      const announced = ['Host: a', 'Content-Length: 12', 'Content-Type: application/json', '', '']
      const early = await Promise.all([
        sendRaw(origin, crlf(`POST ${intents} HTTP/1.1`, ...announced)),
        sendRaw(origin, crlf('POST /nothing HTTP/1.1', ...announced), '{"amou'),
      ])
      expect(early.map((answers) => answers.map(({ status }) => status))).to.deep.equal([[401], [404]])
    })
  })

  describe('of a body that is refused before it comes', () => {
    it('is 413 PAYLOAD_TOO_LARGE by the announced length alone, without 100 Continue', async () => {
      const before = await house.deps.Intent.countDocuments()
      const length = 'Content-Length: 99999999999'
      const wires = await Promise.all([
        readRaw(house.origin, headOf(intents, length), '{'),
        readRaw(house.origin, headOf(intents, length, 'Expect: 100-continue')),
      ])
      for (const wire of wires) {
        expect(wire).to.match(/^HTTP\/1\.1 413 /)
        expect(wire).to.match(/\r\nConnection: close\r\n/)
        expectFailure(answersOf(wire)[0], 413, 'PAYLOAD_TOO_LARGE')
      }
      expect(await house.deps.Intent.countDocuments()).to.equal(before)
    })

    it('is 401 before a body is asked for by 100 Continue', async () => {
      const headers = ['Host: a', 'Expect: 100-continue', 'Content-Length: 12', 'Connection: close']
      const wire = await readRaw(house.origin, crlf(`POST ${intents} HTTP/1.1`, ...headers, '', ''))
      expect(wire).to.match(/^HTTP\/1\.1 401 /)
      expectFailure(answersOf(wire)[0], 401, 'MISSING_CREDENTIALS')
    })
  })

  describe('of a body that cannot be read', () => {
    const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
    const unreadable: [
      what: string,
      status: number,
      code: string,
      body: () => string | Buffer,
      type?: string,
    ][] = [
      ['no JSON', 400, 'INVALID_JSON', () => '{"amount":5'],
      ['text', 400, 'INVALID_JSON', () => 'amount=5'],
      ['invalid UTF-8', 400, 'INVALID_JSON', () => Buffer.from('{"amount":5,"label":"\xff"}', 'latin1')],
      ['an object nine deep', 400, 'INVALID_JSON', () => nested(9)],
      ['10 KB of [', 400, 'INVALID_JSON', () => '['.repeat(10_000)],
      ['100 000 nested arrays', 400, 'INVALID_JSON', () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
      ['300 KB', 413, 'PAYLOAD_TOO_LARGE', () => JSON.stringify({ amount: 5, x: 'x'.repeat(300_000) })],
      ['a form', 415, 'UNSUPPORTED_MEDIA_TYPE', () => 'amount=5', 'application/x-www-form-urlencoded'],
      ['JSON called text', 415, 'UNSUPPORTED_MEDIA_TYPE', () => '{"amount":5}', 'text/plain'],
      [
        'JSON in another charset',
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        () => '{"amount":5}',
        'application/json; charset=iso-8859-1',
      ],
    ]
    for (const [what, status, code, body, type = 'application/json'] of unreadable)
      it(`is ${status} ${code} for ${what}, and nothing is left behind`, async () => {
        const before = await house.deps.Intent.countDocuments()
        const answer = await write({ 'Content-Type': type }, body())
        expect(answer.status).to.equal(status)
        expect(answer.headers['content-type']).to.equal(json)
        expect(answer.body.error).to.include({ code, statusCode: status })
        expect(answer.body.error.requestId).to.equal(answer.headers['x-request-id'])
        expect(await house.deps.Intent.countDocuments()).to.equal(before)
      })

    it('is 415 for a compressed body', async () => {
      const { status, body } = await write({ 'Content-Encoding': 'gzip' }, gzipSync('{"amount":5}'))
      expect(status).to.equal(415)
      expect(body.error.code).to.equal('UNSUPPORTED_MEDIA_TYPE')
    })

    it('is 415 for a body without a type', async () => {
      const answers = await sendRaw(
        house.origin,
        crlf(
          `POST ${intents} HTTP/1.1`,
          'Host: a',
          'Connection: close',
          'Content-Length: 12',
          ...Object.entries(merchant.write()).map(([name, value]) => `${name}: ${value}`),
          '',
          '{"amount":5}',
        ),
      )
      expectFailure(answers[0], 415, 'UNSUPPORTED_MEDIA_TYPE')
    })

    it('does not stand for a body of 8 levels, UTF-8 by name, or escaped to its longest', async () => {
      const deep = JSON.stringify({ amount: 5, x: JSON.parse(nested(7)) })
      const named = { 'Content-Type': 'application/json; charset=UTF-8' }
      const metadata = Array.from({ length: 50 }, (_, n) => `"${String(n)}":"${'\\u00e9'.repeat(500)}"`)
      const escaped = `{"amount":5,"metadata":{${metadata.join(',')}}}`
      for (const answer of await Promise.all([
        write({}, deep),
        write(named, '{"amount":5}'),
        write({}, escaped),
      ]))
        expect(answer.status, answer.text.slice(0, 200)).to.equal(201)
    })
  })
})
