import type { Edit } from '../../faults/build/edit.ts'
import type { Sought } from '../round.ts'

/** A bug to be planted, and the oracle that must find it. */
export interface Plant extends Sought {
  says: string
  edits: Edit[]
}

const plant = (
  foundBy: string,
  at: RegExp,
  says: string,
  file: string,
  find: string,
  put: string,
): Plant => ({ foundBy, at, says, edits: [{ file, find, put }], times: 1 })

/** What one request leaves is little: it takes many to tell. */
const often = (one: Plant): Plant => ({ ...one, times: 4 })

const everywhere = /./
const operations = / \/dev\//
const writes = /^(POST|PUT|PATCH) \/dev\//

/** One for each kind of thing that the attack is to find. */
export const plants: readonly Plant[] = [
  plant(
    'no fault',
    writes,
    'a body that is no JSON is taken for a bug of ours',
    'src/http/json-body.ts',
    "return { refusal: refuse('INVALID_JSON') }",
    "throw new TypeError('no JSON')",
  ),
  plant(
    'enveloped',
    operations,
    'a refusal says another status in its envelope',
    'src/http/answer.ts',
    '    statusCode,\n    requestId,',
    '    statusCode: 400,\n    requestId,',
  ),
  plant(
    'no fault',
    /^bytes$/,
    'what is no request becomes a fault after a second',
    'src/http/bare-app.ts',
    "    if (req.rawHeaders.length > mostHeaders * 2) throw refuse('HEADERS_TOO_LARGE')\n",
    "    if (req.rawHeaders.length > mostHeaders * 2)\n      return void setTimeout(() => next(new Error('headers')), 1000)\n",
  ),
  plant(
    'no hang',
    writes,
    'some bodies get no answer',
    'src/http/body.ts',
    "return read(bytes, req.headers['content-type'])",
    "return bytes.includes('__proto__') ? new Promise(() => undefined) : read(bytes, req.headers['content-type'])",
  ),
  plant(
    'no hang',
    everywhere,
    'the seventh request of a connection is cut',
    'src/http/bare-app.ts',
    '    res.locals.requestId = randomUUID()',
    '    const socket = req.socket as unknown as { asked?: number }\n    socket.asked = (socket.asked ?? 0) + 1\n    if (socket.asked === 7) return void req.socket.destroy()\n    res.locals.requestId = randomUUID()',
  ),
  plant(
    'no hang',
    operations,
    'later answers of a connection break off',
    'src/http/answer.ts',
    '  res.end(answer.body)',
    '  if (res.req.socket.bytesWritten < 5000) return void res.end(answer.body)\n  res.write(answer.body.slice(0, 5))\n  setImmediate(() => res.req.socket.destroy())',
  ),
  plant(
    'enveloped',
    operations,
    'the JSON of a success lacks its end',
    'src/http/answer.ts',
    'body: JSON.stringify({ success: true, data }),',
    'body: JSON.stringify({ success: true, data }).slice(0, -1),',
  ),
  plant(
    'read once',
    /^bytes$/,
    'what has two ends is read to one of them',
    'src/http/listen.ts',
    '      requireHostHeader: false,',
    '      requireHostHeader: false,\n      insecureHTTPParser: true,',
  ),
  plant(
    'shut out',
    /^bytes$/,
    'a request without a key has that of the one before it on its connection',
    'src/http/authenticate.ts',
    "  if (values.length === 0) throw refuse('MISSING_CREDENTIALS')",
    "  const socket = req.socket as unknown as { values?: string[] }\n  if (values.length === 0) values.push(...(socket.values ?? []))\n  socket.values = values\n  if (values.length === 0) throw refuse('MISSING_CREDENTIALS')",
  ),
  plant(
    'shut out',
    operations,
    'HEAD needs no key',
    'src/http/run-operation.ts',
    '  const deadline = startDeadline()',
    "  if (req.method === 'HEAD') return { status: 200, code: null, body: '{}', headers: {} }\n  const deadline = startDeadline()",
  ),
  plant(
    'enveloped',
    /^GET \/($|p|sandbox|admin)/,
    'a browser may keep pages',
    'src/http/page-headers.ts',
    "res.setHeader('Cache-Control', 'no-store')",
    "res.setHeader('Cache-Control', 'private')",
  ),
  plant(
    'as described',
    / \/dev\/intents/,
    'an intent shows its effects',
    'src/intents/present.ts',
    '    referenceNumber: intent.referenceNumber,',
    '    referenceNumber: intent.referenceNumber,\n    effects: intent.effects,',
  ),
  plant(
    'shut out',
    operations,
    'a suspended key works',
    'src/businesses/identify.ts',
    "if (key.status !== 'active')",
    "if (key.status === 'revoked')",
  ),
  {
    foundBy: 'shut out',
    at: / \/admin\/queues/,
    says: 'the queues are open to anybody',
    times: 1,
    edits: [
      {
        file: 'src/admin/pages/router.ts',
        find: "router.use('/queues', requireSession, ",
        put: "router.use('/queues', ",
      },
      {
        file: 'src/admin/board/board.ts',
        find: 'faces[staffOf(res).role].app',
        put: "faces[res.locals.staff === undefined ? 'viewer' : staffOf(res).role].app",
      },
    ],
  },
  plant(
    'shut out',
    /^POST \/admin/,
    'a form needs no token',
    'src/admin/pages/guards.ts',
    'if (isOwnForm(staffOf(res), csrf)) return next()',
    'if (isOwnForm(staffOf(res), csrf) || csrf !== null) return next()',
  ),
  plant(
    'shut out',
    /^(POST|PUT) \/admin/,
    'a page of another site may act',
    'src/admin/pages/guards.ts',
    'isSafe(req) || isFromHere(req, publicUrl)',
    'isSafe(req) || publicUrl.length > 0',
  ),
  plant(
    'apart',
    / \/dev\/intents\/:/,
    "another business's intent is read",
    'src/intents/find.ts',
    'intent.businessId !== businessId || ',
    '',
  ),
  plant(
    'apart',
    / \/dev\/intents\/:/,
    'a test key reads live intents',
    'src/intents/find.ts',
    "  if (intent.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')\n",
    "  if (intent.sandbox && !sandbox) throw refuse('SANDBOX_MISMATCH')\n",
  ),
  plant(
    'apart',
    / \/dev\/(intents$|webhooks\/events)/,
    'a test key lists deliveries of either environment',
    'src/webhooks/deliveries/list.ts',
    '    sandbox: caller.sandbox,\n',
    '',
  ),
  plant(
    'stored apart',
    /^POST \/dev\/intents/,
    'a delivery is stored for the other environment',
    'src/webhooks/deliveries/new-deliveries.ts',
    '    sandbox: source.sandbox,\n    event:',
    '    sandbox: !source.sandbox,\n    event:',
  ),
  plant(
    'escaped',
    /^POST \/($|p|sandbox)/,
    'a field shows what was typed as it stands',
    'src/checkout/field.ts',
    'value="${value}" dir="ltr"',
    'value="!${value}" dir="ltr"',
  ),
  plant(
    'nothing of inside',
    writes,
    'a refusal says where it was made',
    'src/http/json-body.ts',
    "return { refusal: refuse('INVALID_JSON') }",
    "return { refusal: refuse('INVALID_JSON', { message: String(new Error().stack) }) }",
  ),
  plant(
    'once per key',
    writes,
    'an idempotency key is told apart by its body too',
    'src/http/run-operation.ts',
    'path: JSON.stringify([route.path, req.params]),',
    "path: JSON.stringify([route.path, req.params, 'value' in body ? String(JSON.stringify(body.value)) : '']),",
  ),
  plant(
    'once per key',
    writes,
    'a refusal is not kept',
    'src/http/idempotency.ts',
    "error.statusCode < 500 && error.code !== 'RATE_LIMITED'",
    'error.statusCode < 400',
  ),
  plant(
    'no error logged',
    /^POST \/dev\/intents/,
    'a worker complains of what is well',
    'src/webhooks/relay.ts',
    '  scheduleExpiries(deps, intents)\n',
    "  scheduleExpiries(deps, intents)\n  deps.log.error({}, 'relayed')\n",
  ),
  plant(
    'nothing ended',
    operations,
    'an odd query ends the process',
    'src/http/bare-app.ts',
    "parse(query, '&', '=', { maxKeys: 0 })",
    "query.includes('%00') ? process.exit(1) : parse(query, '&', '=', { maxKeys: 0 })",
  ),
  plant(
    'no secret logged',
    /^POST \/dev\/intents$/,
    'the address of a payment stands in the log with its code',
    'src/intents/create.ts',
    'const data = presentCreated(',
    "console.log(JSON.stringify({ level: 'info', code: intent.code }))\n    const data = presentCreated(",
  ),
  plant(
    'nothing private reached',
    everywhere,
    'a private address is public',
    'src/webhooks/sender/address.ts',
    "ipaddr.IPv4.parse(address).range() === 'unicast'",
    "ipaddr.IPv4.parse(address).range() !== 'x'",
  ),
  plant(
    'nothing stored is wrong',
    /^POST \/dev\/intents/,
    'an amount has no upper bound',
    'src/validate.ts',
    'n >= 1 && n <= config.maxAmount',
    'n >= 1',
  ),
  {
    foundBy: 'nothing refused is stored',
    at: /store\/products/,
    says: 'a product with a description of its own is refused after it was stored',
    times: 1,
    edits: [
      {
        file: 'src/store/products/create.ts',
        find: "import { tryAgain } from '../../try-again.ts'",
        put: "import { refuse } from '../../errors.ts'\nimport { tryAgain } from '../../try-again.ts'",
      },
      {
        file: 'src/store/products/create.ts',
        find: 'if (insertion.inserted) return data',
        put: "if (insertion.inserted && product.description !== product.name) throw refuse('INSUFFICIENT_STOCK')\n    if (insertion.inserted) return data",
      },
    ],
  },
  plant(
    'prototypes as they were',
    writes,
    'fields of a body reach the prototype of all objects',
    'src/http/json-body.ts',
    'return { value, params: value }',
    "if (Object.hasOwn((value ?? {}) as object, '__proto__')) Object.defineProperty(Object.prototype, 'polluted', { value: 1 })\n    return { value, params: value }",
  ),
  plant(
    'prototypes as they were',
    writes,
    'a body replaces what all objects have',
    'src/http/json-body.ts',
    'return { value, params: value }',
    "if (Object.hasOwn((value ?? {}) as object, '__proto__')) Object.defineProperty(Object.prototype, 'toLocaleString', { value: () => '' })\n    return { value, params: value }",
  ),
  often(
    plant(
      'memory as it was',
      everywhere,
      '2 KB of every request are remembered',
      'src/http/bare-app.ts',
      '    res.locals.requestId = randomUUID()',
      '    res.locals.requestId = randomUUID()\n    ;((globalThis as unknown as { seen: unknown[] }).seen ??= []).push(Array(256).fill(1.5))',
    ),
  ),
  often(
    plant(
      'memory as it was',
      everywhere,
      '2 KB of every request are remembered outside the heap',
      'src/http/bare-app.ts',
      '    res.locals.requestId = randomUUID()',
      '    res.locals.requestId = randomUUID()\n    ;((globalThis as unknown as { seen: unknown[] }).seen ??= []).push(Buffer.alloc(2048))',
    ),
  ),
]
