import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { phpName } from '../../clients/generate/php.ts'
import { languages, librariesOf } from '../docs/languages.ts'
import { textOf } from '../docs/pages.ts'
import { runProgram, skipUnlessHere } from '../docs/program.ts'
import { listen } from '../support/listen.ts'
import { withOpened } from '../support/with.ts'

type Respond = (response: ServerResponse, count: number, elsewhere: string) => void

const json = (response: ServerResponse, status: number, body: object, headers = {}) =>
  void response
    .writeHead(status, { 'Content-Type': 'application/json', ...headers })
    .end(JSON.stringify(body))
const succeed = (response: ServerResponse, headers = {}) =>
  json(response, 201, { success: true, data: { referenceNumber: 'PI-1' } }, headers)
const refuse = (response: ServerResponse, statusCode: number, code: string, headers = {}) =>
  json(
    response,
    statusCode,
    { success: false, error: { code, message: 'No.', requestId: 'r', statusCode } },
    headers,
  )
const page = (response: ServerResponse, status: number) =>
  void response.writeHead(status, { 'Content-Type': 'text/html' }).end('<html>')
/** Announces more than it sends. */
const cut = (response: ServerResponse, type: string, length?: number) => {
  response.writeHead(200, { 'Content-Type': type, ...(length && { 'Content-Length': length }) })
  response.write('{"success":', () => setImmediate(() => response.destroy()))
}

/** By name, which is the path of the client's address: how the server responds, and what the client prints. */
const cases: Record<string, { respond: Respond; prints: string; count?: number; sends?: object }> = {
  redirect: {
    respond: (response, _, elsewhere) => void response.writeHead(301, { Location: `${elsewhere}/x` }).end(),
    prints: 'REDIRECTED 301 None',
  },
  'redirect-to-get': {
    respond: (response, _, elsewhere) => void response.writeHead(303, { Location: `${elsewhere}/x` }).end(),
    prints: 'REDIRECTED 303 None',
  },
  'html-403': { respond: (response) => page(response, 403), prints: 'INVALID_RESPONSE 403 None' },
  'html-200': { respond: (response) => page(response, 200), prints: 'INVALID_RESPONSE 200 None' },
  refused: {
    respond: (response) => refuse(response, 409, 'MERCHANT_REFERENCE_TAKEN'),
    prints: 'MERCHANT_REFERENCE_TAKEN 409 None',
  },
  later: {
    respond: (response) => refuse(response, 429, 'RATE_LIMITED', { 'Retry-After': '3600' }),
    prints: 'RATE_LIMITED 429 3600',
  },
  mismatch: {
    respond: (response) => succeed(response, { 'Idempotent-Params-Mismatch': 'true' }),
    prints: 'IDEMPOTENCY_PARAMS_MISMATCH 201 None',
  },
  retried: {
    respond: (response, count) => (count === 1 ? page(response, 502) : succeed(response)),
    prints: 'PI-1',
    count: 2,
  },
  running: {
    respond: (response, count) =>
      count === 1 ? refuse(response, 409, 'IDEMPOTENCY_REQUEST_IN_PROGRESS') : succeed(response),
    prints: 'PI-1',
    count: 2,
  },
  lost: {
    respond: (response, count) => void (count === 1 ? response.destroy() : succeed(response)),
    prints: 'PI-1',
    count: 2,
  },
  cut: {
    respond: (response, count) => (count === 1 ? cut(response, 'application/json', 100) : succeed(response)),
    prints: 'PI-1',
    count: 2,
  },
  slow: { respond: () => {}, prints: 'TIMEOUT None None' },
  'slow-drops': {
    respond: (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 50)
      response.once('close', () => clearInterval(timer))
    },
    prints: 'TIMEOUT None None',
  },
  file: {
    respond: (response) => void response.writeHead(200, { 'Content-Type': 'text/csv' }).end('a,b'),
    prints: 'a,b',
  },
  'cut-file': {
    respond: (response) => cut(response, 'text/csv', 100),
    prints: 'CONNECTION_FAILED None None',
  },
  'cut-chunks': { respond: (response) => cut(response, 'text/csv'), prints: 'CONNECTION_FAILED None None' },
}

const extensions = ['py', 'php']

async function startServer() {
  const requests: { name: string; url: string; headers: IncomingMessage['headers']; body: string }[] = []
  const elsewhere: string[] = []
  const other = await listen(
    createServer((request, response) => {
      elsewhere.push(`${request.method} ${request.headers.authorization}`)
      succeed(response)
    }),
  )
  const server = createServer((request, response) => {
    const { url = '', headers } = request
    const name = url.split('/')[1] ?? ''
    const respond = (body: Buffer): void => {
      requests.push({ name, url, headers, body: body.toString() })
      const count = requests.filter((each) => each.name === name).length
      cases[name]?.respond(response, count, other.origin)
    }
    void buffer(request).then(respond)
  })
  const { origin, close } = await listen(server)
  return { origin, requests, elsewhere, other, close: () => Promise.all([close(), other.close()]) }
}

describe('The Python and PHP packages', () => {
  const server = withOpened(startServer, ({ close }) => close())
  const curl = { ...languages.find(({ extension }) => extension === 'php'), name: 'PHP with cURL' }
  const runs = [...languages, curl as (typeof languages)[number]].filter(({ extension }) =>
    extensions.includes(extension),
  )

  for (const { name, command, extension } of runs)
    it(`repeats only what may succeed, with the same key, and never follows a redirect (${name})`, async function () {
      const test = name.includes('cURL')
        ? ['-r', 'exit((int) !function_exists("curl_init"));']
        : ['--version']
      skipUnlessHere(this, name, [command, ...test], 'clients')
      // Only this PHP must work without the extension.
      const without = name === 'PHP' ? ['-d', 'disable_functions=curl_init'] : []
      server.requests.length = 0
      const printed = await runProgram([command, ...without, `run.${extension}`], {
        files: {
          ...librariesOf({ extension }),
          [`run.${extension}`]: textOf(`clients/consumers/faults.${extension}`).replace(
            'payment-intents-mru.php',
            phpName,
          ),
        },
        environment: { BASE: server.origin, ELSEWHERE: server.other.origin },
        input: Object.keys(cases).join(' '),
      })
      const lines = Object.values(cases).map(({ prints }) => `${prints}\n`)
      expect(printed.replaceAll('\r', '')).to.equal(lines.join(''))
      expect(server.elsewhere).to.deep.equal([])
      for (const [path, { count = 1 }] of Object.entries(cases)) {
        const sent = server.requests.filter((each) => each.name === path)
        expect(sent, path).to.have.length(count)
        expect(new Set(sent.map(({ headers }) => headers['x-idempotency-key'])).size, path).to.equal(1)
        for (const { url, headers, body } of sent) {
          expect(headers['user-agent']).to.match(/^payment-intents-mru-(python|php)\/\d+\.\d+\.\d+ /)
          expect(headers).to.include({ authorization: 'Bearer sk_test_x' })
          if (url.includes('exports'))
            expect(url).to.match(/^\/[\w-]+\/api\/v1\/dev\/exports\/payments\?from=2026-01-01$/)
          else
            expect([url, body]).to.deep.equal([`/${path}/api/v1/dev/intents`, '{"amount":500,"metadata":{}}'])
        }
      }
    })
})
