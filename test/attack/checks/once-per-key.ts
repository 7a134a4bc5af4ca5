import type { ErrorCode } from '../../../src/errors.ts'
import { parsed } from '../wire/response.ts'
import { type Check, type Exchange, operationAt } from './exchange.ts'

/** Refusals before the lookup of the key, or of incomplete requests. They are not kept, and neither is a 5xx. */
const beforeTheKey: ReadonlySet<ErrorCode> = new Set([
  'MISSING_CREDENTIALS',
  'INVALID_AUTH_HEADER',
  'INVALID_API_KEY',
  'API_ACCESS_NOT_ACTIVE',
  'LIVE_ACCESS_NOT_APPROVED',
  'SECRET_KEY_REQUIRED',
  'SCOPE_REQUIRED',
  'IP_NOT_ALLOWED',
  'SANDBOX_ONLY',
  'RATE_LIMITED',
  'IDEMPOTENCY_KEY_REQUIRED',
  'IDEMPOTENCY_KEY_INVALID',
  'IDEMPOTENCY_REQUEST_IN_PROGRESS',
  'INVALID_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'HEADERS_TOO_LARGE',
  'REQUEST_TIMEOUT',
])
/** A VALIDATION_ERROR about the path or a missing file is not kept either. */
const outside = /^(path|file)$/

/**
 * All requests with one idempotency key get the same response, whatever their bodies. One of them is executed or
 * refused. The others get a replay, which is marked as such.
 */
export function createOncePerKey(): Check {
  const kept = new Map<string, { body: string; first: boolean }>()
  return (exchange) => {
    const { actor, attack, response, line, idempotencyKey } = exchange
    const isWrite = (operationAt(attack.method, line)?.method ?? 'get') !== 'get'
    if (idempotencyKey?.startsWith('scene-') !== true || !isWrite || !isKept(exchange)) return null
    const claim = [actor.key, attack.method, line.split('?')[0], idempotencyKey].join(' ')
    const isFirst = !isReplay(exchange)
    const before = kept.get(claim)
    kept.set(claim, { body: before?.body ?? response.body, first: isFirst || before?.first === true })
    if (before === undefined) return null
    if (before.body !== response.body) return `got ${response.body.slice(0, 200)} after ${before.body.slice(0, 200)}`
    return before.first && isFirst ? `was executed twice: ${response.status}, and no replay` : null
  }
}

const isReplay = ({ response }: Exchange): boolean => response.headers.get('idempotent-replayed') === 'true'

function isKept(exchange: Exchange): boolean {
  const { response } = exchange
  if (isReplay(exchange) || response.status < 300) return true
  if (response.status >= 500) return false
  const { error } = (parsed(response) ?? {}) as { error?: { code: ErrorCode; param?: string } }
  // The check `enveloped` reports a response without an envelope.
  if (error === undefined) return false
  const isOutside = outside.test(error.param ?? '') || response.headers.get('connection') === 'close'
  return !(error.code === 'VALIDATION_ERROR' && isOutside) && !beforeTheKey.has(error.code)
}
