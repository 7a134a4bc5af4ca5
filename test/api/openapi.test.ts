import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { failureStages } from '../../schemas/responses/webhooks.ts'
import { openApiPath } from '../../src/http/openapi/operation.ts'
import { listErrorCodes } from '../../src/http/openapi/responses.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import { errorCatalogue } from '../../src/platform/errors.ts'
import { sendFaults } from '../../src/webhooks/sender/faults.ts'
import { checkResponse, description, mismatchOf, schemaErrors } from '../support/check-responses.ts'
import { withServiceAndMerchant } from '../support/service.ts'

const address = '/api/v1/openapi.json'

interface Operation {
  parameters: { in: string; name: string; example?: unknown }[]
  requestBody?: { required: boolean; content: Record<string, { example?: unknown }> }
  responses: Record<string, { headers?: object; content?: Record<string, { example?: unknown }> }>
}
const paths = description.paths as Record<string, Record<string, Operation>>
const described = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
)
const components = description.components as Record<string, Record<string, { value?: unknown }>>

describe('The OpenAPI description', () => {
  const environment = { MAX_AMOUNT: '500000', WEBHOOK_HEADER_BRAND: 'Acme', WEBHOOK_TIMEOUT_SECONDS: '7' }
  const { service, merchant } = withServiceAndMerchant(environment)

  it('is a public OpenAPI 3.1 document that can be cached for five minutes', async () => {
    const { status, headers, body } = await service.http.get(address)
    expect(status).to.equal(200)
    expect(headers['content-type']).to.equal('application/json; charset=utf-8')
    expect(headers['cache-control']).to.equal('public, max-age=300')
    expect(headers['access-control-allow-origin']).to.equal('*')
    expect(headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/)
    expect(body.openapi).to.equal('3.1.0')
    expect(Object.keys(body.paths)).to.deep.equal(Object.keys(paths))
    const head = await service.http.head(address)
    expect([head.status, head.text ?? '']).to.deep.equal([200, ''])
    expect(head.headers['content-length']).to.equal(headers['content-length'])
    expect((await service.http.post(address)).headers.allow).to.equal('GET, HEAD')
  })

  it('contains the limits and URLs of the running service', async () => {
    const { body } = await service.http.get(address)
    expect(body.servers[0].url).to.equal('http://localhost:3000/api/v1')
    expect(body.components.schemas.CreateIntentBody.properties.amount).to.include({ maximum: 500_000 })
    const sent = body.webhooks['payment.created'].post.parameters.map(({ name }: { name: string }) => name)
    expect(sent).to.include.members(['X-Acme-Signature', 'X-Acme-Timestamp', 'X-Acme-Event'])
    expect(JSON.stringify(body.webhooks)).to.include('within 7 s').and.not.include(' 30 s')
  })

  it('contains exactly the operations that have a route', () => {
    const listed = described.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    const routes = apiRoutes.map((route) => `${route.method.toUpperCase()} ${openApiPath(route)}`)
    expect(listed).to.have.members(routes)
  })

  it('documents the CORS headers of every response that other sites may read', async () => {
    const { headers } = await service.http.get('/api/v1/dev/intents/PI-1')
    const documented = components.headers as Record<string, { schema?: { const?: string } }>
    expect(headers).to.include({
      'access-control-allow-origin': documented.AccessControlAllowOrigin?.schema?.const,
      'access-control-expose-headers': documented.AccessControlExposeHeaders?.schema?.const,
    })
    const { responses } = paths['/dev/intents/{referenceNumber}']?.get ?? expect.fail()
    for (const status of [200, 400, 401, 403, 404, 429, 500, 503])
      expect(responses[status]?.headers, String(status)).to.include.keys('Access-Control-Allow-Origin')
  })

  it('documents every `scope` that a 429 response can contain and allows no other `scope`', () => {
    const limited = (scope: string) => mismatchOf429(JSON.stringify({ scope, limit: 1 }))
    const failed = { status: 429, type: 'application/json', headers: [] }
    const errorWith = (details: string) =>
      `{"code":"RATE_LIMITED","message":"No.","statusCode":429,"requestId":"x","details":${details}}`
    const mismatchOf429 = (details: string) =>
      mismatchOf('GET', '/api/v1/dev/intents/PI-1', {
        ...failed,
        body: `{"success":false,"error":${errorWith(details)}}`,
      })
    for (const scope of ['key', 'address', 'bodies', 'responses', 'lists', 'codes', 'sandbox'])
      expect(limited(scope)).to.equal(null)
    expect(limited('moon')).to.include('allowed values')
    expect(mismatchOf429('[]')).to.include('must be object')
  })

  it('lists every path parameter, and the idempotency key for every write', () => {
    for (const { method, path, operation } of described) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const named = operation.parameters.filter((each) => each.in === 'path').map(({ name }) => name)
      expect(named, path).to.deep.equal(inPath)
      const refers = JSON.stringify(operation.parameters).includes('IdempotencyKey')
      expect(refers, `${method} ${path}`).to.equal(method !== 'get')
    }
  })

  it('lists every error code and failure stage, and describes a request body only where the operation validates it', () => {
    expect([...new Set(apiRoutes.flatMap(listErrorCodes))]).to.have.members(Object.keys(errorCatalogue))
    const stages = ['status', ...Object.values(sendFaults).map(({ stage }) => stage), 'address']
    expect(failureStages).to.have.members([...new Set(stages)])
    for (const route of apiRoutes) {
      const refuses = listErrorCodes(route).includes('INVALID_JSON')
      expect(route.body !== undefined, route.operationId).to.equal(refuses)
    }
  })

  it('requires a request body only where the operation refuses a request without one', async () => {
    for (const { method, path, operation } of described) {
      if (operation.requestBody === undefined) continue
      const route = `/api/v1${path.replaceAll(/\{\w+\}/g, 'NONE')}`
      const { body } = await service.http[method as 'post'](route).set(merchant.write())
      const isRefused = body.error?.code === 'VALIDATION_ERROR'
      expect(operation.requestBody.required, `${method} ${path}`).to.equal(isRefused)
    }
  })

  it('uses one schema with typed details for every error response', () => {
    for (const { operation } of described)
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        const { $ref } = response as { $ref?: string }
        const shared = $ref === undefined ? response : components.responses?.[$ref.split('/').at(-1) ?? '']
        expect((shared as typeof response).content?.['application/json'], status)
          .to.have.property('schema')
          .that.deep.equals({ $ref: '#/components/schemas/Failure' })
      }
    const failure = (details: unknown) => ({
      success: false,
      error: { code: 'X', message: 'No.', statusCode: 400, requestId: 'x', details },
    })
    const at = ['components', 'schemas', 'Failure']
    const fault = { param: 'a', code: 'VALIDATION_ERROR', message: 'a is required.' }
    for (const details of [[fault], [], { refundable: 5 }, { scope: 'lists', limit: 2 }])
      expect(schemaErrors(failure(details), ...at)).to.equal(null)
    for (const details of ['a', 5, null, ['a'], [{ param: 'a' }]])
      expect(schemaErrors(failure(details), ...at), JSON.stringify(details)).to.be.a('string')
  })

  it('uses int32 and int64 only for whole numbers', () => {
    const wrong: unknown[] = []
    JSON.stringify(description, (_name, value) => {
      const isInteger = /^int(32|64)$/.test(String(value?.format))
      if (isInteger && ![value.type].flat().includes('integer')) wrong.push(value)
      return value
    })
    expect(wrong).to.deep.equal([])
  })

  it('contains only examples that match their schemas and have no undocumented fields', () => {
    for (const { method, path, operation } of described) {
      const at = ['paths', path, method]
      expectParametersMatch(operation, at)
      for (const [type, { example }] of Object.entries(operation.requestBody?.content ?? {})) {
        if (type === 'multipart/form-data') continue
        const fault = schemaErrors(example, ...at, 'requestBody', 'content', type, 'schema')
        expect(fault, `${method} ${path}`).to.equal(null)
      }
      for (const [status, { content = {} }] of Object.entries(operation.responses))
        for (const [type, { example }] of Object.entries(content)) {
          if (Number(status) >= 400) continue
          const fault = schemaErrors(example, ...at, 'responses', status, 'content', type, 'schema')
          expect(fault, `${method} ${path} ${status}`).to.equal(null)
        }
    }
    const webhooks = description.webhooks as Record<string, { post: Operation }>
    for (const [event, { post }] of Object.entries(webhooks)) {
      expectParametersMatch(post, ['webhooks', event, 'post'])
      const { example } = post.requestBody?.content['application/json'] ?? {}
      const body = ['webhooks', event, 'post', 'requestBody', 'content', 'application/json', 'schema']
      expect(schemaErrors(example, ...body), event).to.equal(null)
    }
    for (const [code, { value }] of Object.entries(components.examples ?? {}))
      expect(schemaErrors(value, 'components', 'schemas', 'Failure'), code).to.equal(null)
  })

  function expectParametersMatch({ parameters }: Operation, at: string[]): void {
    for (const [index, { name, example }] of parameters.entries()) {
      if (example === undefined) continue
      const fault = schemaErrors(example, ...at, 'parameters', String(index), 'schema')
      expect(fault, `${at.join(' ')} ${name}`).to.equal(null)
    }
  }

  describe('used to check every response in the tests', () => {
    const url = '/api/v1/dev/intents/PI-1/cancel?x=1'
    const shared = { message: 'No.', statusCode: 404, requestId: 'x' }
    const failure = (code: string, more: object) =>
      JSON.stringify({ success: false, error: { code, ...shared, ...more } })
    const mismatch = (status: number, body: string, type = 'application/json; charset=utf-8') =>
      mismatchOf('POST', url, { status, type, headers: ['x-request-id', 'date'], body })

    it('accepts a matching response', () => {
      expect(mismatch(404, failure('INTENT_NOT_FOUND', {}))).to.equal(null)
      const blank = { type: '', headers: [] }
      expect(mismatchOf('OPTIONS', url, { ...blank, status: 404, body: null })).to.equal(null)
      expect(mismatchOf('GET', '/healthz', { ...blank, status: 500, body: '' })).to.equal(null)
    })

    it('is compared with the bytes that the service sends', () => {
      const noted: string[] = []
      const req = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url })
      const res = new ServerResponse(req).setHeader('Content-Type', 'application/json')
      res.statusCode = 404
      checkResponse(req, res, (fault) => void noted.push(fault))
      res.end(Buffer.from('{"success":false}'))
      expect(noted.join()).to.include("required property 'error'")
    })

    it('refuses a response with an undocumented status, code, type, field or header, or with a missing field', () => {
      expect(mismatch(418, '{}')).to.include('does not describe 418')
      const unknownCode = mismatch(404, failure('PRODUCT_NOT_FOUND', {}))
      expect(unknownCode).to.include('does not describe PRODUCT_NOT_FOUND')
      expect(mismatch(404, failure('INTENT_NOT_FOUND', { extra: 1 }))).to.include('additional properties')
      expect(mismatch(404, '{"success":false}')).to.include("required property 'error'")
      expect(mismatch(200, JSON.stringify({ success: true, data: {} }))).to.include('required property')
      expect(mismatch(200, '<p>', 'text/html')).to.include('does not describe text/html')
      const readable = { headers: ['access-control-allow-origin'], type: 'application/json', body: null }
      expect(mismatchOf('POST', url, { ...readable, status: 404 })).to.include('does not describe access-')
      expect(mismatchOf('GET', '/api/v1/dev/intents/PI-1', { ...readable, status: 404 })).to.equal(null)
    })
  })
})
