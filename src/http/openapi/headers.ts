import { exposed, isForBrowsers } from '../cross-origin.ts'
import type { Route } from '../route.ts'
import type { Part } from './schema.ts'

const text = { type: 'string', maxLength: 100 }

/** The headers that answers share. */
export const headers = {
  RequestId: {
    description: 'The id of this request. Give it to support.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
  },
  RateLimit: {
    description: 'What is left of the rate limit, as the IETF draft says it. Without one there is none.',
    schema: { ...text, pattern: '^"[a-z]+";r=[0-9]+;t=[0-9]+$' },
    example: '"key";r=99;t=1',
  },
  RateLimitPolicy: {
    description: 'The rate limit: how many requests in how many seconds.',
    schema: { ...text, pattern: '^"[a-z]+";q=[0-9]+;w=[0-9]+$' },
    example: '"key";q=100;w=1',
  },
  RetryAfter: {
    description: 'Seconds to wait before the next attempt.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
  },
  IdempotentReplayed: {
    description: 'There when this is the stored answer of the first request with this key.',
    schema: { ...text, const: 'true' },
  },
  IdempotentParamsMismatch: {
    description: 'There when that request asked for something else.',
    schema: { ...text, const: 'true' },
  },
  AccessControlAllowOrigin: {
    description: 'Scripts of any site may read this answer.',
    schema: { ...text, const: '*' },
  },
  AccessControlExposeHeaders: {
    description: 'The headers that they may read.',
    schema: { ...text, const: exposed },
  },
}

const header = (name: keyof typeof headers): Part => ({ $ref: `#/components/headers/${name}` })

export const requestId: Part = { 'X-Request-Id': header('RequestId') }
/** Of every answer to a key that is known. */
export const rateLimit: Part = {
  RateLimit: header('RateLimit'),
  'RateLimit-Policy': header('RateLimitPolicy'),
}
export const retryAfter: Part = { 'Retry-After': header('RetryAfter') }
/** Of what a write answers again. */
const replay: Part = {
  'Idempotent-Replayed': header('IdempotentReplayed'),
  'Idempotent-Params-Mismatch': header('IdempotentParamsMismatch'),
}
const readable: Part = {
  'Access-Control-Allow-Origin': header('AccessControlAllowOrigin'),
  'Access-Control-Expose-Headers': header('AccessControlExposeHeaders'),
}

/** Of every answer of an operation that scripts of any site may call. */
export const forBrowsers = (route: Route): Part => (isForBrowsers(route) ? readable : {})

/** Of what an operation itself answers. */
export const headersOf = (route: Route): Part => ({
  ...requestId,
  ...rateLimit,
  ...(route.method === 'get' ? {} : replay),
  ...forBrowsers(route),
})
