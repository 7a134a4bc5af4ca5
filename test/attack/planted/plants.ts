import { after, before, type Edit, replace } from '../../support/edited-build/edit.ts'
import type { Sought } from '../round.ts'

export type Plant = Sought & { bug: string; edits: readonly Edit[] }

const plant = (foundBy: string, at: RegExp, bug: string, edits: readonly Edit[]): Plant => ({
  foundBy,
  at,
  bug,
  edits,
  times: 1,
})

const everywhere = /./
const operations = / \/dev\//
const writes = /^(POST|PUT|PATCH) \/dev\//
const invalidJson = "return { refusal: refuse('INVALID_JSON') }"

export const plants: readonly Plant[] = [
  plant('no fault', writes, 'a body that is not JSON causes an internal error', [
    before('parseJson', invalidJson, "throw new TypeError('no JSON')"),
  ]),
  plant('no neighbour is slowed', operations, 'all keys share a limit of eight requests at once', [
    after(
      'admit',
      'allow($$)',
      `globalThis.running = (globalThis.running ?? 0) + 1
      res.once('close', () => (globalThis.running -= 1))
      if (globalThis.running > 8)
        throw refuse('RATE_LIMITED', { retryAfterSeconds: 1, details: { scope: 'lists', limit: 8 } })`,
    ),
  ]),
  {
    ...plant('no neighbour is slowed', writes, 'some bodies block the whole process for two seconds', [
      before('parseJson', invalidJson, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)'),
    ]),
    times: 0.3,
  },
  plant('enveloped', operations, 'the envelope of an error contains the wrong status', [
    replace('failureResponse', '{ code, message, statusCode, $$ }', '{ code, message, statusCode: 400, $$ }'),
  ]),
  plant('no fault', /^bytes$/, 'an invalid request becomes an internal error after a second', [
    replace(
      'createBareApp',
      "throw refuse('HEADERS_TOO_LARGE')",
      "return void setTimeout(() => next(new Error('headers')), 1000)",
    ),
  ]),
  plant('no hang', writes, 'some bodies get no response', [
    before('readBody', 'return read($$)', "if (bytes.includes('__proto__')) return new Promise(() => {})"),
  ]),
  plant('no hang', everywhere, 'the connection is cut at its seventh request', [
    before(
      'createBareApp',
      '$.locals.requestId = $',
      `req.socket.requests = (req.socket.requests ?? 0) + 1
      if (req.socket.requests === 7) return void req.socket.destroy()`,
    ),
  ]),
  plant('no hang', operations, 'later responses on a connection are cut off', [
    replace(
      'sendResponse',
      'endAfterRequest($res, $body)',
      `if ($res.req.socket.bytesWritten < 5000) return void $res.end($body)
      $res.write($body.slice(0, 5))
      setImmediate(() => $res.req.socket.destroy())`,
    ),
  ]),
  plant('enveloped', operations, 'the JSON of a successful response lacks its last character', [
    replace('successResponse', 'JSON.stringify($value)', 'JSON.stringify($value).slice(0, -1)'),
  ]),
  plant('read once', /^bytes$/, 'a request whose end is ambiguous is accepted', [
    replace('createHttpServer', 'requireHostHeader: $', 'requireHostHeader: false, insecureHTTPParser: true'),
  ]),
  plant('access refused', /^bytes$/, 'a request without a key uses the previous key of its connection', [
    before(
      'bearerToken',
      '$values.length === 0',
      `if ($values.length === 0) $values.push(...(req.socket.values ?? []))
      req.socket.values = $values`,
    ),
  ]),
  plant('access refused', operations, 'HEAD needs no key', [
    before(
      'runOperation',
      'startDeadline()',
      "if (req.method === 'HEAD') return { status: 200, code: null, body: '{}', headers: {} }",
    ),
  ]),
  plant('enveloped', /^GET \/($|p|sandbox|admin)/, 'a browser may cache pages', [
    replace(
      'createPageHeaders',
      "$res.setHeader('Cache-Control', $)",
      "$res.setHeader('Cache-Control', 'private')",
    ),
  ]),
  plant('as described', / \/dev\/intents/, 'an intent shows its effects', [
    replace(
      'presentNewIntent',
      '{ referenceNumber: $number, $$ }',
      '{ referenceNumber: $number, effects: intent.effects, $$ }',
    ),
  ]),
  plant('access refused', operations, 'a suspended key works', [
    replace('identifyByApiKey', "$status !== 'active'", "$status === 'revoked'"),
  ]),
  plant('access refused', / \/admin\/queues/, 'the queues need no session', [
    replace('createAdminRouter', "$router.use('/queues', requireSession, $$)", "$router.use('/queues', $$)"),
    replace('createQueueBoard', "hasPermission(currentStaff(res), 'requeue-deliveries')", 'false'),
  ]),
  plant('access refused', /^POST \/admin/, 'a form needs no token', [
    replace(
      'checkCsrf',
      'sessions.hasValidCsrf($user, $csrf)',
      '(sessions.hasValidCsrf($user, $csrf) || $csrf !== null)',
    ),
  ]),
  plant('access refused', /^(POST|PUT) \/admin/, 'a page on another site can submit forms', [
    replace('requireOwnOrigin', 'isFromOwnSite($$)', 'site !== undefined'),
  ]),
  plant('businesses apart', / \/dev\/intents\/:/, 'the intent of another business can be read', [
    replace('ownIntent', '$ === caller.businessId', 'intent !== null'),
  ]),
  plant('businesses apart', / \/dev\/intents\/:/, 'a test key reads live intents', [
    replace('requireOwned', '$found.sandbox !== sandbox', '$found.sandbox && !sandbox'),
  ]),
  plant('businesses apart', / \/dev\/(intents$|webhooks\/events)/, 'a test key lists live deliveries', [
    replace('buildDeliveryQuery', '{ businessId, sandbox, $$ }', '{ businessId, $$ }'),
  ]),
  plant('stored for its owner', /^POST \/dev\/intents/, 'an intent is stored for the other environment', [
    replace(
      'insertIntent',
      '$batchers.insertIntent($intent, $deadline)',
      '$batchers.insertIntent({ ...$intent, sandbox: !$intent.sandbox }, $deadline)',
    ),
  ]),
  plant('escaped', /^POST \/($|p|sandbox)/, 'a field shows the input without escaping it', [
    replace('inputField', "$ ? 'field' : 'field wrong'", 'value'),
  ]),
  plant('no internals shown', writes, 'an error response contains a stack trace', [
    replace('parseJson', "refuse('INVALID_JSON')", "refuse('INVALID_JSON', { message: new Error().stack })"),
  ]),
  plant('once per key', writes, 'a reused idempotency key runs a second request if the body differs', [
    replace('runWriteOnce', 'JSON.stringify([$r, $p])', 'JSON.stringify([$r, $p, write.input])'),
  ]),
  plant('once per key', writes, 'an error response is not stored under its idempotency key', [
    replace('isFinal', 'statusCode < 500', 'statusCode < 400'),
  ]),
  plant('no error logged', /^POST \/dev\/intents/, 'a worker logs an error without a reason', [
    before('relayDocument', '$.causes.push($$)', "deps.log.error({}, 'relayed')"),
  ]),
  plant('no process ended', operations, 'a strange query ends the process', [
    replace('parseQuery', 'parse(query, $$)', '/%00/.test(query) ? process.exit(1) : parse(query, $$)'),
  ]),
  plant('no secret logged', /^POST \/dev\/intents$/, 'the log contains the payment code', [
    before(
      'insertIntent',
      'buildCreateResponse($$)',
      "console.log(JSON.stringify({ level: 'info', code: intent.code }))",
    ),
  ]),
  plant('nothing private reached', everywhere, 'a private address counts as public', [
    replace('isPublicAddress', "$range === 'unicast'", "$range !== 'x'"),
  ]),
  plant('nothing stored is wrong', /^POST \/dev\/intents/, 'an amount has no upper bound', [
    replace('isAmountFrom', '$n >= least && $', '$n >= least'),
  ]),
  plant('nothing refused is stored', /store\/products/, 'a product is refused after it has been stored', [
    replace(
      'createProduct',
      '$products.insertOne(product, { session })',
      `$products.insertOne(product).then(() => {
        if (product.description !== '' && product.description !== product.name) parseCreateProduct(deps, {})
      })`,
    ),
  ]),
  plant('prototypes unchanged', writes, 'a field of a body changes the prototype of all objects', [
    before(
      'parseJson',
      'return { value, $$ }',
      "if (Object.hasOwn(value ?? {}, '__proto__')) Object.defineProperty(Object.prototype, 'polluted', { value: 1 })",
    ),
  ]),
  plant('prototypes unchanged', writes, 'a body replaces a property of all objects', [
    before(
      'parseJson',
      'return { value, $$ }',
      "if (Object.hasOwn(value ?? {}, '__proto__')) Object.defineProperty(Object.prototype, 'toLocaleString', { value: () => '' })",
    ),
  ]),
  ...['Array(256).fill(1.5)', 'Buffer.alloc(2048)'].map((kept) => ({
    ...plant('no memory leaked', everywhere, `each request leaves ${kept} behind`, [
      before('createBareApp', '$.locals.requestId = $', `(globalThis.kept ??= []).push(${kept})`),
    ]),
    // A single request leaks little.
    times: 4,
  })),
]
