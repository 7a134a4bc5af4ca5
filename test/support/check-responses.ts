import type { IncomingMessage, ServerResponse } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describedAs } from '../../dev/described-as.ts'
import { describeApi } from '../../src/http/openapi/describe.ts'
import { pathOf } from '../../src/http/openapi/operation.ts'
import { routes } from '../../src/http/routes/routes.ts'
import { noteContractFault } from './contract-faults.ts'

/** Holds every answer that any test gets of a service against the description of the API. */

/** As it is sent. */
export const description = JSON.parse(JSON.stringify(describeApi(describedAs))) as Record<string, unknown>

/** The same for judging: an object has no field that is not described. */
const closed = close(description) as Record<string, unknown>

function close(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(close)
  if (typeof part !== 'object' || part === null) return part
  const inner = Object.fromEntries(Object.entries(part).map(([word, value]) => [word, close(value)]))
  const isOpen = inner.type === 'object' && 'properties' in inner && !('additionalProperties' in inner)
  return isOpen ? { ...inner, additionalProperties: false } : inner
}

// Formats are told beside a pattern, or judged by the service itself.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(closed, 'api')

const escaped = (step: string): string => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))

const compiled = new Map<string, ValidateFunction>()

/** The validator of what stands at this place of the description. */
export function validatorAt(...steps: string[]): ValidateFunction {
  const place = steps.map(escaped).join('/')
  const validate = compiled.get(place) ?? ajv.compile({ $ref: `api#/${place}` })
  compiled.set(place, validate)
  return validate
}

/** What is wrong with a value by the schema at this place, or null. */
export function schemaErrors(value: unknown, ...steps: string[]): string | null {
  const validate = validatorAt(...steps)
  return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: '' })
}

const operations = routes.map((route) => ({
  method: route.method,
  path: pathOf(route),
  pattern: new RegExp(`^/api/v1${route.path.replaceAll(/:\w+/g, '[^/]+')}(\\?|$)`),
}))

interface Described {
  $ref?: string
  headers?: Record<string, unknown>
  content?: Record<string, unknown>
}
interface Responses {
  [status: string]: Described
}

/** The headers that are described wherever they are sent; the others are every server's. */
const ownHeaders = /^(x-request-id$|ratelimit|retry-after$|idempotent-|access-control-|content-disposition$)/

const partAt = (steps: string[]): Described =>
  steps.reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], description) as Described

/** How an answer of an operation departs from the description; null where it does not, or where no operation is asked for. */
export function mismatchOf(
  method: string,
  url: string,
  answer: { status: number; type: string; headers: string[]; body: string | null },
): string | null {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = operations.find((each) => each.method === asked && each.pattern.test(url))
  if (operation === undefined) return null
  const { path } = operation
  const status = String(answer.status)
  const paths = description.paths as Record<string, Record<string, { responses: Responses }>>
  const response = paths[path]?.[asked]?.responses[status]
  if (response === undefined) return `${method} ${path} does not describe ${status}: ${answer.body}`
  const steps = response.$ref?.slice(2).split('/') ?? ['paths', path, asked, 'responses', status]
  const toldHeaders = Object.keys(partAt(steps).headers ?? {}).map((name) => name.toLowerCase())
  const untold = answer.headers.filter((name) => ownHeaders.test(name) && !toldHeaders.includes(name))
  if (untold.length > 0) return `${method} ${path} ${status} does not describe ${untold.join(', ')}`
  if (answer.body === null) return null
  if (!answer.type.startsWith('application/json'))
    return response.content !== undefined && (answer.type.split(';')[0] as string) in response.content
      ? null
      : `${method} ${path} ${status} does not describe ${answer.type}`
  const value: unknown = JSON.parse(answer.body)
  const fault =
    schemaErrors(value, ...steps, 'content', 'application/json', 'schema') ??
    faultOfFailure(steps, value as Failure)
  return fault === null ? null : `${method} ${path} ${status}: ${fault}\n    ${answer.body.slice(0, 500)}`
}

interface Failure {
  error?: { code: string; details?: unknown }
}

/** All failures have one schema. The names of a response's examples are its error codes. */
function faultOfFailure(steps: string[], { error }: Failure): string | null {
  if (error === undefined) return null
  const { examples = {} } = partAt([...steps, 'content', 'application/json']) as { examples?: object }
  if (!Object.hasOwn(examples, error.code)) return `does not describe ${error.code}`
  return error.code === 'RATE_LIMITED'
    ? schemaErrors(error.details, 'components', 'schemas', 'RateLimitDetails')
    : null
}

/** Called by the server of a service with each request, before it is served. */
export function checkResponse(req: IncomingMessage, res: ServerResponse): void {
  const { method = '', url = '' } = req
  const end = res.end.bind(res) as (...given: unknown[]) => ServerResponse
  res.end = ((...given: unknown[]) => {
    const [body] = given
    const type = String(res.getHeader('content-type') ?? '')
    const isWhole = typeof body === 'string' && method !== 'HEAD'
    const answer = {
      status: res.statusCode,
      type,
      headers: res.getHeaderNames(),
      body: isWhole ? body : null,
    }
    const found = mismatchOf(method, url, answer)
    if (found !== null) noteContractFault(found)
    return end(...given)
  }) as typeof res.end
}
