import { catalogue, type ErrorCode } from '../../errors.ts'
import { bodyKindOf, isForBrowsers, type Route } from '../operations/route.ts'

/**
 * The error codes that every operation can return, in the order in which they are checked
 * (docs/maintainers/decisions.md).
 */
export const ofAll = [
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
] as const satisfies ErrorCode[]

export const ofWrites = [
  'IDEMPOTENCY_KEY_REQUIRED',
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_REQUEST_IN_PROGRESS',
] as const satisfies ErrorCode[]

export const ofBodies = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_JSON'] as const satisfies ErrorCode[]

/** Returns all error codes that an operation can return, in the order of the error catalogue. */
export function codesOf(route: Route): ErrorCode[] {
  const { about, sandboxOnly } = route
  const isWrite = route.method !== 'get'
  const codes = new Set<ErrorCode>([
    ...ofAll,
    ...(isForBrowsers(route) ? [] : (['SECRET_KEY_REQUIRED'] as const)),
    ...(sandboxOnly ? (['SANDBOX_ONLY'] as const) : []),
    ...(isWrite ? ofWrites : []),
    ...(isWrite && bodyKindOf(route) !== null ? ofBodies : []),
    ...codesIn(about.body),
    ...(about.errors ?? []),
  ])
  return (Object.keys(catalogue) as ErrorCode[]).filter((code) => codes.has(code))
}

/** Returns the error codes that a schema contains, at any depth. */
function codesIn(schema: unknown): ErrorCode[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([word, value]) =>
    word === 'errorCodes' ? Object.values(value as Record<string, ErrorCode>) : codesIn(value),
  )
}
