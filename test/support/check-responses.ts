import type { IncomingMessage, ServerResponse } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describedAs } from '../../dev/openapi-document.ts'
import { describeApi } from '../../src/http/openapi/describe.ts'
import { openApiPath } from '../../src/http/openapi/operation.ts'
import { apiRoutes } from '../../src/http/routes/routes.ts'
import { checksBodies, noteContractFault } from './contract-faults.ts'

export const description = JSON.parse(JSON.stringify(describeApi(describedAs))) as Record<string, unknown>

/** Made strict for validation: objects have no fields beyond those described. */
const closed = close(description) as Record<string, unknown>

function close(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(close)
  if (typeof part !== 'object' || part === null) return part
  const inner = Object.fromEntries(Object.entries(part).map(([word, value]) => [word, close(value)]))
  const isOpen = inner.type === 'object' && 'properties' in inner && !('additionalProperties' in inner)
  return isOpen ? { ...inner, additionalProperties: false } : inner
}

// Fields with a format have a pattern as well, or the service validates them itself. Compiling each schema once,
// without optimising its code, takes half the time.
const quick = { validateSchema: false, inlineRefs: false, code: { optimize: false } }
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, ...quick })
ajv.addSchema(closed, 'api')

const escaped = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
const compiled = new Map<string, ValidateFunction>()

function validatorAt(...steps: string[]): ValidateFunction {
  const path = steps.map(escaped).join('/')
  const validate = compiled.get(path) ?? ajv.compile({ $ref: `api#/${path}` })
  compiled.set(path, validate)
  return validate
}

export function schemaErrors(value: unknown, ...steps: string[]): string | null {
  const validate = validatorAt(...steps)
  return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: '' })
}

const operations = apiRoutes.map((route) => ({
  method: route.method,
  path: openApiPath(route),
  pattern: new RegExp(`^/api/v1${route.path.replaceAll(/:\w+/g, '[^/]+')}(\\?|$)`),
}))

type Described = { $ref?: string; headers?: Record<string, unknown>; content?: Record<string, unknown> }
type Responses = { [status: string]: Described }
const ownHeaders = /^(x-request-id$|ratelimit|retry-after$|idempotent-|access-control-|content-disposition$)/
const partAt = (steps: string[]): Described =>
  steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], description) as Described

export function mismatchOf(
  method: string,
  url: string,
  { status, type, headers, body }: { status: number; type: string; headers: string[]; body: string | null },
): string | null {
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = operations.find((each) => each.method === verb && each.pattern.test(url))
  if (operation === undefined) return null
  const { path } = operation
  const paths = description.paths as Record<string, Record<string, { responses: Responses }>>
  const response = paths[path]?.[verb]?.responses[status]
  if (response === undefined) return `${method} ${path} does not describe ${status}: ${body}`
  const steps = response.$ref?.slice(2).split('/') ?? ['paths', path, verb, 'responses', String(status)]
  const describedHeaders = Object.keys(partAt(steps).headers ?? {}).map((name) => name.toLowerCase())
  const others = headers.filter((name) => ownHeaders.test(name) && !describedHeaders.includes(name))
  if (others.length > 0) return `${method} ${path} ${status} does not describe ${others.join(', ')}`
  if (body === null) return null
  if (!type.startsWith('application/json'))
    return response.content !== undefined && (type.split(';')[0] as string) in response.content
      ? null
      : `${method} ${path} ${status} does not describe ${type}`
  const value: unknown = JSON.parse(body)
  const inJson = [...steps, 'content', 'application/json', 'schema']
  const fault = schemaErrors(value, ...inJson) ?? faultOfFailure(steps, value as Failure)
  return fault === null ? null : `${method} ${path} ${status}: ${fault}\n    ${body.slice(0, 500)}`
}

type Failure = { error?: { code: string; details?: unknown } }

/** All error responses share one schema, but each lists its error codes as examples. */
function faultOfFailure(steps: string[], { error }: Failure): string | null {
  if (error === undefined) return null
  const { examples = {} } = partAt([...steps, 'content', 'application/json']) as { examples?: object }
  if (!Object.hasOwn(examples, error.code)) return `does not describe ${error.code}`
  if (error.code !== 'RATE_LIMITED') return null
  return schemaErrors(error.details, 'components', 'schemas', 'RateLimitDetails')
}

/** Must run before the service's own listener. */
export function checkResponse(req: IncomingMessage, res: ServerResponse, note = noteContractFault): void {
  const { method = '', url = '' } = req
  const end = res.end.bind(res) as (...given: unknown[]) => ServerResponse
  res.end = ((...given: unknown[]) => {
    const [body] = given
    const type = String(res.getHeader('content-type') ?? '')
    // A long body is written in parts, of which this is the last.
    const isText = typeof body === 'string' || Buffer.isBuffer(body)
    const isRead = isText && !res.headersSent && method !== 'HEAD' && checksBodies()
    const [status, headers] = [res.statusCode, res.getHeaderNames()]
    const own = { status, type, headers, body: isRead ? String(body) : null }
    const mismatch = mismatchOf(method, url, own)
    if (mismatch !== null) note(mismatch)
    return end(...given)
  }) as typeof res.end
}
