import { execFileSync } from 'node:child_process'
import { generateClients } from '../../clients/generate/generate.ts'
import { createPayments, type PaymentsError, verifyWebhook } from '../../clients/typescript/payments.ts'
import numbered from '../../clients/version.json' with { type: 'json' }
import { read } from '../../dev/source-files.ts'
import { bodyOf, vectors } from '../vectors/vector.ts'

/** The strictest compiler options that a merchant may use. */
const options =
  '--ignoreConfig --noEmit --singleThreaded --strict --target es2022 --module nodenext --erasableSyntaxOnly --isolatedModules --verbatimModuleSyntax --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noImplicitOverride --noPropertyAccessFromIndexSignature'
const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
const refused = (statusCode: number, code: string, headers?: Record<string, string>): Response =>
  json(statusCode, { success: false, error: { code, message: code, requestId: 'r', statusCode } }, headers)
const succeeded = (data: unknown): Response => json(200, { success: true, data })

function withResponses(...responses: Response[]) {
  const keys: (string | null)[] = []
  const agents = new Set<string | null>()
  const payments = createPayments({
    key: 'sk_test_x',
    baseUrl: 'https://api.example',
    fetch: async (_url, { headers }) => {
      keys.push(new Headers(headers).get('x-idempotency-key'))
      agents.add(new Headers(headers).get('user-agent'))
      return responses.shift() ?? expect.fail('an unexpected request')
    },
  })
  return { payments, keys, agents }
}

describe('clients/typescript/payments.ts (the generated client)', () => {
  it('is up to date with `npm run client`', async () => {
    for (const [path, text] of Object.entries(await generateClients()))
      expect(read(path), path).to.equal(text)
  })

  it('type-checks on its own, for browsers and for Node.js', () => {
    for (const environment of ['--lib es2022,dom', '--lib es2022 --types node']) {
      const args = `${options} ${environment} clients/typescript/payments.ts`.split(' ')
      execFileSync('node_modules/.bin/tsc', args, { stdio: 'inherit' })
    }
  })

  it('retries a write with the same key after temporary errors, and honours Retry-After', async () => {
    const { payments, keys, agents } = withResponses(
      refused(409, 'IDEMPOTENCY_REQUEST_IN_PROGRESS'),
      new Response('<html>Bad gateway</html>', { status: 502 }),
      refused(429, 'RATE_LIMITED', { 'retry-after': '2' }),
      succeeded({ referenceNumber: 'PI-1' }),
    )
    const startedAt = Date.now()
    expect(await payments.createIntent({ amount: 500 })).to.deep.equal({ referenceNumber: 'PI-1' })
    expect(Date.now() - startedAt).to.be.greaterThan(2_000)
    expect(keys[0]).to.match(/^[0-9a-f-]{36}$/)
    expect(new Set(keys).size).to.equal(1)
    expect([...agents]).to.deep.equal([`payment-intents-mru-client/${numbered.version}`])
  })

  it('does not retry a request that would fail again or may be retried only much later', async () => {
    for (const response of [
      refused(409, 'MERCHANT_REFERENCE_TAKEN'),
      refused(400, 'VALIDATION_ERROR'),
      refused(429, 'RATE_LIMITED', { 'retry-after': '3600' }),
    ]) {
      const { payments, keys } = withResponses(response)
      const error = (await payments.getBalance().catch((thrown: unknown) => thrown)) as PaymentsError
      expect(error.name).to.equal('PaymentsError')
      expect(keys).to.have.length(1)
    }
  })

  it("sends nothing if an id would change the path or an idempotency key isn't a valid header", async () => {
    const { payments, keys } = withResponses()
    for (const operation of [
      payments.retryWebhookDelivery({ id: '.' }),
      payments.getEvent({ id: '..' }),
      payments.createIntent({ amount: 500 }, { idempotencyKey: 'order-17\r\nX-Other: 1' }),
    ])
      expect(await operation.catch((thrown: unknown) => thrown)).to.be.instanceOf(TypeError)
    expect(keys).to.have.length(0)
  })

  it('throws if a successful response is not JSON, unless it is a file', async () => {
    const page = () => new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })
    const { payments } = withResponses(page(), page())
    const error = await payments.createIntent({ amount: 500 }).catch((thrown: unknown) => thrown)
    expect(error).to.include({ code: 'INVALID_RESPONSE', statusCode: 200 })
    const file = await payments.exportPayments({ from: '2026-01-01', to: '2026-01-31' })
    expect(await file.text()).to.equal('<html>Sign in</html>')
  })

  it("reports the status of an error that isn't the service's, without retrying it", async () => {
    const page = '<html>Forbidden</html>'
    const typed = { 'content-type': 'application/json' }
    for (const [body, headers, said] of [
      [page, { 'content-type': 'text/html' }, 'is not JSON (text/html)'],
      [page, typed, 'is not JSON (application/json)'],
      ['', {}, 'is not JSON (no content type)'],
      ['{"message":"Forbidden"}', typed, 'has another form'],
      ['null', typed, 'has another form'],
    ] as const) {
      const { payments, keys } = withResponses(new Response(body || null, { status: 403, headers }))
      const error = await payments.createIntent({ amount: 500 }).catch((thrown: unknown) => thrown)
      expect(error).to.include({ code: 'INVALID_RESPONSE', statusCode: 403 })
      expect(String(error)).to.include(`the status 403 and ${said}`)
      expect(keys).to.have.length(1)
    }
  })

  it('stops waiting when the caller cancels', async () => {
    const { payments } = withResponses(refused(503, 'SERVICE_UNAVAILABLE', { 'retry-after': '30' }))
    const controller = new AbortController()
    const operation = payments.getBalance({}, { signal: controller.signal })
    setImmediate(() => controller.abort(new Error('cancelled')))
    expect(String(await operation.catch((thrown: unknown) => thrown))).to.equal('Error: cancelled')
  })

  it('verifies every test vector of signed webhooks', async () => {
    const wrong: string[] = []
    for (const vector of vectors) {
      const { secret, now, headers, valid, eventId, name } = vector
      const webhook = { body: bodyOf(vector), headers, secret, now: new Date(now * 1000) }
      const found = await verifyWebhook(webhook).then(
        (event) => event.eventId,
        (error) => (error.code === 'INVALID_JSON' ? null : undefined),
      )
      if (found !== eventId || (found !== undefined) !== valid) wrong.push(name)
    }
    expect(wrong).to.deep.equal([])
  })

  it('accepts any of several secrets', async () => {
    const [vector = expect.fail('no vector')] = vectors
    const secret = ['another', vector.secret]
    const webhook = { body: bodyOf(vector), headers: new Headers(vector.headers), secret }
    const event = await verifyWebhook({ ...webhook, now: new Date(vector.now * 1000) })
    expect(event.event).to.equal('payment.created')
    const late = await verifyWebhook(webhook).catch((error: unknown) => error)
    expect(late).to.include({ code: 'TIMESTAMP_OUT_OF_TOLERANCE' })
  })
})

/** Never called. `npm run types` fails if one of these mistakes compiles. */
export async function mistakes(payments: ReturnType<typeof createPayments>): Promise<void> {
  // @ts-expect-error: a field that does not exist.
  await payments.createIntent({ amount: 500, lable: 'Order 17' })
  // @ts-expect-error: text for a number.
  await payments.createIntent({ amount: '500' })
  // @ts-expect-error: a missing path parameter.
  await payments.refundIntent({ amount: 500 })
  // @ts-expect-error: a status that does not exist.
  await payments.listIntents({ status: 'PAYED' })
  // @ts-expect-error: an operation that is not a list.
  payments.listAll('createIntent', {})
  // @ts-expect-error: a field that the response does not have.
  void (await payments.getIntent({ referenceNumber: 'PI-1' })).reference_number
}
