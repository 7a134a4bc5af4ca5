import { isForBrowsers, type Route } from '../operations/route.ts'
import { exposed } from '../pages/cross-origin.ts'
import type { Part } from './schema.ts'

const text = { type: 'string', maxLength: 100 }

/** The response headers that the document defines once and refers to by name. */
export const headers = {
  RequestId: {
    description: 'The id of this request. Include it when you contact support.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
  },
  RateLimit: {
    description:
      'The remaining requests (`r`) and the seconds until the window resets (`t`), in the format of the IETF draft. Absent if the key has no rate limit.',
    schema: { ...text, pattern: '^"[a-z]+";r=[0-9]+;t=[0-9]+$' },
    example: '"key";r=99;t=1',
  },
  RateLimitPolicy: {
    description:
      'The rate limit: the number of requests (`q`) per window, and the length of the window in seconds (`w`).',
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
    description: 'Present if the first request with this idempotency key had other parameters.',
    schema: { ...text, const: 'true' },
  },
  AccessControlAllowOrigin: {
    description: 'Scripts on any site may read this response.',
    schema: { ...text, const: '*' },
  },
  AccessControlExposeHeaders: {
    description: 'The response headers that scripts may read.',
    schema: { ...text, const: exposed },
  },
}

const header = (name: keyof typeof headers): Part => ({ $ref: `#/components/headers/${name}` })

export const requestId: Part = { 'X-Request-Id': header('RequestId') }
/** The headers of every response to a request that was made with a known API key. */
export const rateLimit: Part = {
  RateLimit: header('RateLimit'),
  'RateLimit-Policy': header('RateLimitPolicy'),
}
export const retryAfter: Part = { 'Retry-After': header('RetryAfter') }
/** The headers of a replayed response. */
const replay: Part = {
  'Idempotent-Replayed': header('IdempotentReplayed'),
  'Idempotent-Params-Mismatch': header('IdempotentParamsMismatch'),
}
const readable: Part = {
  'Access-Control-Allow-Origin': header('AccessControlAllowOrigin'),
  'Access-Control-Expose-Headers': header('AccessControlExposeHeaders'),
}

/**
 * Returns the additional response headers of an operation that scripts on any site may call, and no headers for any
 * other operation.
 */
export const forBrowsers = (route: Route): Part => (isForBrowsers(route) ? readable : {})

/**
 * Returns the headers of the operation's own responses, as opposed to the error responses that all operations share.
 */
export const headersOf = (route: Route): Part => ({
  ...requestId,
  ...rateLimit,
  ...(route.method === 'get' ? {} : replay),
  ...forBrowsers(route),
})
