import { type ErrorCode, errorCatalogue } from '../../platform/errors.ts'
import { isBrowserRoute, type Route } from '../operations/route.ts'
import { exposedHeaders } from '../pages/cross-origin.ts'
import type { OpenApiPart } from './schemas.ts'

const text = { type: 'string', maxLength: 100 }

export const headerComponents = {
  RequestId: {
    description: 'The id of this request. Include it when you contact support.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
  },
  RateLimit: {
    description:
      'The remaining requests (`r`) and the seconds until the window resets (`t`), as in the IETF draft. Absent if the key has no rate limit.',
    schema: { ...text, pattern: '^"[a-z]+";r=[0-9]+;t=[0-9]+$' },
    example: '"key";r=99;t=1',
  },
  RateLimitPolicy: {
    description:
      'The number of requests (`q`) allowed per window, and the length of the window in seconds (`w`).',
    schema: { ...text, pattern: '^"[a-z]+";q=[0-9]+;w=[0-9]+$' },
    example: '"key";q=100;w=1',
  },
  RetryAfter: {
    description: 'The number of seconds to wait before you repeat the request.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
  },
  IdempotentReplayed: {
    description: 'Present if this is the stored response to the first request with this idempotency key.',
    schema: { ...text, const: 'true' },
  },
  IdempotentParamsMismatch: {
    description: 'Present if the first request with this idempotency key had different parameters.',
    schema: { ...text, const: 'true' },
  },
  AccessControlAllowOrigin: {
    description: 'Scripts on any site may read this response.',
    schema: { ...text, const: '*' },
  },
  AccessControlExposeHeaders: {
    description: 'The response headers that scripts may read.',
    schema: { ...text, const: exposedHeaders },
  },
}

const header = (name: keyof typeof headerComponents): OpenApiPart => ({
  $ref: `#/components/headers/${name}`,
})

const requestId = { 'X-Request-Id': header('RequestId') }
const limited = {
  ...requestId,
  RateLimit: header('RateLimit'),
  'RateLimit-Policy': header('RateLimitPolicy'),
}
const retried = { ...limited, 'Retry-After': header('RetryAfter') }
const replayed = {
  'Idempotent-Replayed': header('IdempotentReplayed'),
  'Idempotent-Params-Mismatch': header('IdempotentParamsMismatch'),
}

const forBrowsers = {
  'Access-Control-Allow-Origin': header('AccessControlAllowOrigin'),
  'Access-Control-Expose-Headers': header('AccessControlExposeHeaders'),
}

const deprecated = {
  Deprecation: { description: 'When the operation was deprecated (RFC 9745).', schema: text },
  Sunset: { description: 'When it stops working (RFC 8594).', schema: text },
}

export const describeResponseHeaders = (route: Route): OpenApiPart => ({
  ...limited,
  ...(route.method !== 'get' && replayed),
  ...(isBrowserRoute(route) && forBrowsers),
  ...(route.deprecated && deprecated),
})

export const fileNameHeader = (description: string): OpenApiPart => {
  const schema = { type: 'string', maxLength: 200, pattern: '^attachment; ' }
  return { 'Content-Disposition': { description, schema } }
}

/** In the order of the checks (docs/maintainers/decisions.md). */
const ofAll: ErrorCode[] = [
  'HEADERS_TOO_LARGE',
  'REQUEST_TIMEOUT',
  'FEATURE_DISABLED',
  'MISSING_CREDENTIALS',
  'INVALID_AUTH_HEADER',
  'INVALID_API_KEY',
  'API_ACCESS_NOT_ACTIVE',
  'LIVE_ACCESS_NOT_APPROVED',
  'IP_NOT_ALLOWED',
  'RATE_LIMITED',
  'SCOPE_REQUIRED',
  'VALIDATION_ERROR',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
]

const ofWrites: ErrorCode[] = [
  'IDEMPOTENCY_KEY_REQUIRED',
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_REQUEST_IN_PROGRESS',
]

const ofBodies: ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_JSON']

export function listErrorCodes(route: Route): ErrorCode[] {
  const codes = new Set([...ofAll, ...codesIn(route.body), ...(route.errors ?? [])])
  if (!isBrowserRoute(route)) codes.add('SECRET_KEY_REQUIRED')
  if (route.sandboxOnly) codes.add('SANDBOX_ONLY')
  if (route.method !== 'get') for (const code of ofWrites) codes.add(code)
  if (route.body !== undefined) for (const code of ofBodies) codes.add(code)
  return (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => codes.has(code))
}

function codesIn(schema: unknown): ErrorCode[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([word, value]) =>
    word === 'errorCodes' ? Object.values(value as Record<string, ErrorCode>) : codesIn(value),
  )
}

const sharedResponses: Record<number, { name: string; headers: OpenApiPart }> = {
  401: { name: 'Unauthorized', headers: requestId },
  408: { name: 'RequestTimeout', headers: requestId },
  409: { name: 'InProgress', headers: retried },
  413: { name: 'PayloadTooLarge', headers: limited },
  415: { name: 'UnsupportedMediaType', headers: limited },
  429: { name: 'RateLimited', headers: retried },
  431: { name: 'HeadersTooLarge', headers: requestId },
  500: { name: 'InternalError', headers: limited },
  503: { name: 'Unavailable', headers: retried },
}

/** These errors are sent before the operation is known. */
const beforeOperations = [408, 431]

const sharedCodes = [...ofAll, ...ofWrites, ...ofBodies]

const statusOf = (code: ErrorCode): number => errorCatalogue[code][0]

export const describeSharedErrors = (): OpenApiPart =>
  Object.fromEntries(
    [...Map.groupBy(sharedCodes, statusOf)].flatMap(([status, codes]) => {
      const shared = sharedResponses[status]
      return shared === undefined ? [] : [[shared.name, refusal(codes, shared.headers)]]
    }),
  )

export function describeErrors(route: Route): OpenApiPart {
  const byStatus = [...Map.groupBy(listErrorCodes(route), statusOf)].toSorted(([a], [b]) => a - b)
  return Object.fromEntries(byStatus.map(([status, codes]) => [status, refusalOf(route, status, codes)]))
}

function refusalOf(route: Route, status: number, codes: ErrorCode[]): OpenApiPart {
  const shared = sharedResponses[status]
  if (shared === undefined) return refusal(codes, describeResponseHeaders(route))
  const own = codes.find((code) => !sharedCodes.includes(code))
  if (own !== undefined) return refusal(codes, { ...describeResponseHeaders(route), ...shared.headers })
  if (isBrowserRoute(route) && !beforeOperations.includes(status))
    return refusal(codes, { ...shared.headers, ...forBrowsers })
  return { $ref: `#/components/responses/${shared.name}` }
}

const refusal = (codes: ErrorCode[], ofResponse: OpenApiPart): OpenApiPart => ({
  description: codes.join(', '),
  headers: ofResponse,
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Failure' },
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
})

export const errorExamples = (): OpenApiPart =>
  Object.fromEntries(
    Object.entries(errorCatalogue).map(([code, [statusCode, message]]) => {
      const error = { code, message, statusCode, requestId: '97ba8550-ced5-4d92-a656-6c4288ed5ce0' }
      return [code, { summary: message, value: { success: false, error } }]
    }),
  )
