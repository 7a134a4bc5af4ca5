import { intents, withServiceAndMerchant } from '../support/service.ts'
import { crlf, expectFailure, postHead, readRaw, responsesOf, sendRaw } from './raw-request.ts'
import { openServer } from './short-timeouts.ts'

const bad = '400 VALIDATION_ERROR'
const tooMuch = '431 HEADERS_TOO_LARGE'
const notFound = '404 ENDPOINT_NOT_FOUND'
const noKey = '401 MISSING_CREDENTIALS'
const tooLarge = '413 PAYLOAD_TOO_LARGE'
const closing = 'Connection: close'
const transfer = 'Transfer-Encoding: '
const coding = `${transfer}chunked`
const form = 'application/x-www-form-urlencoded'

/** The bytes to send, every expected response, and how many intents they create. */
type Row = [title: string, responses: string[], wire: () => string | Buffer, created?: number]

describe('The HTTP server on a raw socket', () => {
  const { service, merchant } = withServiceAndMerchant()
  let origin: string
  let close: () => Promise<unknown>
  let expectedInAll = 0
  before(async () => {
    ;({ origin, close } = await openServer(service))
  })
  after(async () => {
    const created = await service.deps.Intent.countDocuments()
    await close()
    expect(created, 'nothing was created late').to.equal(expectedInAll)
  })

  const body = '{"amount":5}'
  const post = (...headers: string[]) => postHead(intents, merchant.write(), ...headers)
  const create = (...headers: string[]) => post('Content-Length: 12', ...headers) + body
  const chunked = (...headers: string[]) => post(coding, ...headers)
  const chunks = crlf('c', body, '0', '', '')
  const start = (line: string, ...headers: string[]) => crlf(line, 'Host: a', ...headers, '', '')
  const get = (target: string, ...headers: string[]) => start(`GET ${target} HTTP/1.1`, ...headers)
  const webSocket = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const http2 = ['Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']
  const trailer = 'X: 0123456789ab'
  const trailed = (...trailers: string[]) => crlf('c', body, '0', ...trailers, '', '')
  const anonymous = postHead(intents, {}, coding, closing)
  const last = get('/healthz', closing)
  const signed = () => `Authorization: Bearer ${merchant.key}`
  const tables: Record<string, Row[]> = {
    'a request line': [
      ['that is not HTTP', [bad], () => `noise\r\n\r\n${create()}`],
      ['with an unknown method', [bad], () => start('BREW /healthz HTTP/1.1')],
      ['without a target', [bad], () => start('GET  HTTP/1.1')],
      ['for HTTP/0.9', [bad], () => `GET /healthz\r\n\r\n${create()}`],
      ['for HTTP/1.0', ['200'], () => crlf('GET /healthz HTTP/1.0', '', '')],
      ['for a different protocol', [bad], () => start('GET /healthz SIP/2.0')],
      ['that is the HTTP/2 connection preface', [bad], () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
      ['that contains a NUL character', [bad], () => start('GET /health\0z HTTP/1.1')],
      ['after empty lines', ['200'], () => `\r\n\r\n${last}`],
      ['of 20 KB', [tooMuch], () => get(`/healthz?${'x'.repeat(20_000)}`)],
      ['with a method of 10 MB', [bad], () => 'G'.repeat(10_000_000)],
    ],
    'a request target': [
      ['with a different host', ['200'], () => get(`http://other${intents}`, signed(), closing)],
      ['with an unclosed IPv6 address', [bad], () => get(`http://[::1${intents}`)],
      ['that is http://[', [bad], () => start('POST http://[ HTTP/1.1')],
      ['that is *', [notFound], () => get('*', closing)],
      ['that is a host and a port', [bad], () => get('a:443')],
      ['that begins with two slashes', [notFound], () => get(`//evil${intents}`, closing)],
      ['with an incomplete escape', [bad], () => get(`${intents}/%e0%a4%a`, signed(), closing)],
      ['with an unescaped UTF-8 character', [bad], () => Buffer.from(get(`${intents}/é`))],
      ['in a CONNECT request', [notFound], () => start('CONNECT a:443 HTTP/1.1') + create()],
      ['in a TRACE request', [notFound], () => start(`TRACE ${intents} HTTP/1.1`, closing)],
    ],
    headers: [
      ['without Host', [bad], () => crlf('GET /healthz HTTP/1.1', '', create())],
      ['with two Host fields', [bad], () => get('/healthz', 'Host: b') + create()],
      ['with an invalid Host', [bad], () => crlf('GET /healthz HTTP/1.1', 'Host: a b/c?<>', '', create())],
      ['that contain a line without a colon', [bad], () => get('/healthz', 'oops')],
      ['with a space before a colon', [bad], () => post('Transfer-Encoding : chunked') + chunks],
      ['with a folded Transfer-Encoding', [bad], () => post('Transfer-Encoding:', ' chunked') + chunks],
      ['with a NUL character in a value', [bad], () => get('/healthz', 'X: a\0b')],
      ['with a bare CR', [bad], () => get('/healthz', 'X: a\rHost: b')],
      ['with a bare LF', [bad], () => get('/healthz', 'X: a\nHost: b')],
      ['whose lines end in a bare LF', [bad], () => 'GET /healthz HTTP/1.1\nHost: a\n\n'],
      ['of 20 KB', [tooMuch], () => get('/healthz', `X: ${'x'.repeat(20_000)}`)],
      ['of 10 MB in one line', [tooMuch], () => `GET /healthz HTTP/1.1\r\nX: ${'x'.repeat(10_000_000)}`],
      ['with exactly 100 fields', ['200'], () => get('/healthz', closing, ...Array(98).fill('X: 1'))],
      ['with more than 100 fields', [tooMuch], () => get('/healthz', closing, ...Array(99).fill('X: 1'))],
      ['with an unknown expectation', [bad], () => create('Expect: a-miracle')],
      ['with Expect: 100-continue', ['201'], () => create('Expect: 100-continue', closing), 1],
      ['that request an upgrade to WebSocket', [noKey], () => get(intents, ...webSocket) + create()],
      ['that request an upgrade to HTTP/2', ['200'], () => get('/healthz', ...http2) + create()],
    ],
    'a Content-Length': [
      ['given twice', [bad], () => post('Content-Length: 12', 'Content-Length: 12') + body + create()],
      ['that is a list', [bad], () => post('Content-Length: 12, 12') + body + create()],
      ['below 0', [bad], () => post('Content-Length: -1') + create()],
      ['that is empty', [bad], () => post('Content-Length:') + create()],
      ['of more than 64 bits', [bad], () => post(`Content-Length: ${'9'.repeat(23)}`) + body],
      ['followed by a Transfer-Encoding', [bad], () => post('Content-Length: 5', coding) + chunks + create()],
      ['preceded by a Transfer-Encoding', [bad], () => chunked('Content-Length: 5') + chunks + create()],
      ['in a GET request', ['200', '200'], () => get(intents, signed(), 'Content-Length: 12') + body + last],
      ['missing from a GET request', ['200', '201', '200'], () => get('/healthz') + create() + last, 1],
    ],
    'a Transfer-Encoding': [
      ...['gzip, chunked', 'identity', 'chunked, chunked', 'chunked, identity', 'xchunked', '\vchunked'].map(
        (name): Row => {
          return [`of ${JSON.stringify(name)}`, [bad], () => post(transfer + name) + chunks + create()]
        },
      ),
      ['given twice', [bad], () => chunked(coding) + chunks + create()],
      ['in an HTTP/1.0 request', [bad], () => chunked().replace('HTTP/1.1', 'HTTP/1.0') + chunks + create()],
      ['spelt Chunked', ['201'], () => post('Transfer-Encoding: Chunked', closing) + chunks, 1],
    ],
    'a chunk': [
      ['with a size below 0', [bad], () => `${chunked()}-1\r\n${create()}`],
      ['with a size of more than 64 bits', [bad], () => `${chunked()}${'f'.repeat(17)}\r\n${create()}`],
      ['with a size that is not a number', [bad], () => chunked() + chunks.replace('0', 'zz')],
      ['without a line break after its data', [bad], () => chunked() + crlf('c', `${body}0`, '', create())],
      ['with a bare LF instead of each CRLF', [bad], () => `${chunked()}c\n${body}\n0\n\n${create()}`],
      ['with an extension', ['201'], () => chunked(closing) + chunks.replace('c', 'c;a=b'), 1],
      ['with a bare LF in its extension', [bad], () => chunked() + chunks.replace('c', 'c;a\nb')],
      ['with a long extension', [tooLarge], () => chunked() + chunks.replace('c', `c;${'a'.repeat(20_000)}`)],
      ['followed by an ignored API key', [noKey], () => anonymous + trailed(signed())],
      ['followed by 1 MB of trailers', [tooMuch], () => chunked() + trailed(...Array(60_000).fill(trailer))],
    ],
    'a second request': [
      ['that is valid', ['201', '201', '200'], () => create() + create() + last, 2],
      ['with an unknown expectation', ['201', bad], () => create() + create('Expect: x'), 1],
      ['with the method CONNECT', ['201', notFound], () => create() + start('CONNECT a:443 HTTP/1.1'), 1],
      ['sent after a request that closes the connection', ['201'], () => create(closing) + create(), 1],
      ['sent after a refused request whose end is known', [notFound, '200'], () => get('/x') + last],
    ],
  }

  for (const [about, rows] of Object.entries(tables))
    describe(`given ${about}`, () => {
      for (const [title, expected, wire, created = 0] of rows)
        it(`returns ${expected.join(', then ')} for ${about} ${title}`, async () => {
          const before = await service.deps.Intent.countDocuments()
          const responses = await sendRaw(origin, wire())
          const statuses = responses.map(({ status }) => String(status))
          expect(statuses).to.deep.equal(expected.map((each) => each.slice(0, 3)))
          responses.forEach((response, n) => {
            const [, code] = expected[n]?.split(' ') ?? []
            if (code !== undefined) expectFailure(response, response.status, code)
          })
          // Clients would wait for an idle connection to end.
          if (expected.at(-1) === bad) expect(responses.at(-1)?.headers.get('connection')).to.equal('close')
          expect(await service.deps.Intent.countDocuments()).to.equal(before + created)
          expectedInAll += created
          await service.http.get('/healthz').expect(200)
        })
    })

  const page = (method: string, path: string, ...headers: string[]) =>
    start(`${method} ${path} HTTP/1.1`, 'Origin: http://a', `Content-Type: ${form}`, ...headers)
  const brokenPages: [what: string, status: number, wire: (path: string) => string][] = [
    ['20 KB of headers', 431, (path) => page('GET', path, `X: ${'x'.repeat(20_000)}`)],
    ['more than 100 headers', 431, (path) => page('GET', path, closing, ...Array(99).fill('X: 1'))],
    ['an unknown expectation', 400, (path) => page('POST', path, 'Expect: a-miracle', 'Content-Length: 0')],
    ['a header without a colon', 400, (path) => page('GET', path, 'oops')],
    ['a malformed second request', 400, (path) => get('/healthz') + page('GET', path, 'oops')],
    ['an invalid chunk', 400, (path) => `${page('POST', path, coding)}zz\r\n`],
  ]
  for (const [what, status, wire] of brokenPages)
    it(`returns an error page for a page request with ${what}, and JSON for other requests`, async () => {
      for (const path of ['/', '/p/ABCDEF?lang=ar', '/pay/x', '/sandbox/x', '/admin/sign-in']) {
        const response = (await sendRaw(origin, wire(path))).at(-1)
        const { headers, body: document = '' } = response ?? {}
        expect(response?.status, path).to.equal(status)
        expect(headers?.get('content-type'), path).to.equal('text/html; charset=utf-8')
        expect(headers?.get('content-security-policy'), path).to.include("default-src 'none'")
        expect(headers?.get('cache-control'), path).to.equal('no-store')
        expect(headers?.get('connection'), path).to.equal('close')
        expect(headers?.get('x-request-id'), path).to.match(/^[\da-f-]{36}$/)
        expect(document, path).to.match(/<html [^]+<\/html>\s*$/)
      }
      const code = status === 431 ? 'HEADERS_TOO_LARGE' : 'VALIDATION_ERROR'
      const others = what === 'an invalid chunk' ? [] : [intents, '/pages', '/administration', '/docs']
      for (const path of others) expectFailure((await sendRaw(origin, wire(path))).at(-1), status, code)
    })

  it('does not carry out a request whose body is malformed', async () => {
    const made = await service.http.post(intents).set(merchant.write()).send({ amount: 5 })
    expectedInAll += 1
    const path = `${intents}/${made.body.data.referenceNumber}`
    const cancel = postHead(`${path}/cancel`, merchant.write(), 'Transfer-Encoding: chunked')
    const [response] = await sendRaw(origin, cancel, crlf('2', '{}', 'zz', ''))
    expectFailure(response, 400, 'VALIDATION_ERROR')
    expect((await service.http.get(path).set(merchant.read())).body.data.status).to.equal('PENDING')
  })

  it('refuses an oversized body by its Content-Length alone, without sending 100 Continue', async () => {
    const before = await service.deps.Intent.countDocuments()
    const length = 'Content-Length: 99999999999'
    const wires = await Promise.all([
      readRaw(origin, post(length), '{'),
      readRaw(origin, post(length, 'Expect: 100-continue')),
    ])
    for (const wire of wires) {
      expect(wire).to.match(/^HTTP\/1\.1 413 /)
      expect(wire).to.match(/\r\nConnection: close\r\n/)
      expectFailure(responsesOf(wire)[0], 413, 'PAYLOAD_TOO_LARGE')
    }
    expect(await service.deps.Intent.countDocuments()).to.equal(before)
  })

  it('sends no 100 Continue before it has authenticated the request', async () => {
    const headers = ['Expect: 100-continue', 'Content-Length: 12', closing]
    const wire = await readRaw(origin, postHead(intents, {}, ...headers))
    expect(wire).to.match(/^HTTP\/1\.1 401 /)
    expectFailure(responsesOf(wire)[0], 401, 'MISSING_CREDENTIALS')
  })
})
