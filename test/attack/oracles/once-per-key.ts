import type { ErrorCode } from '../../../src/errors.ts'
import { parsed } from '../wire/answer.ts'
import { type Oracle, operationAt, type Seen } from './seen.ts'

/**
 * Refusals before the idempotency key is looked up, or of an incomplete request. They are not kept, and neither is a 5xx.
 */
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
 * Requests with one idempotency key get one response, whatever their bodies. One of them is carried out or refused; the others get a replay that
 * says so.
 */
export function createOncePerKey(): Oracle {
  const kept = new Map<string, { body: string; first: boolean }>()
  return (seen) => {
    const { actor, attack, answer, line, idempotencyKey } = seen
    const isWrite = (operationAt(attack.method, line)?.method ?? 'get') !== 'get'
    if (idempotencyKey?.startsWith('scene-') !== true || !isWrite || !isKept(seen)) return null
    const place = [actor.key, attack.method, line.split('?')[0], idempotencyKey].join(' ')
    const isFirst = !isReplay(seen)
    const before = kept.get(place)
    kept.set(place, { body: before?.body ?? answer.body, first: isFirst || before?.first === true })
    if (before === undefined) return null
    if (before.body !== answer.body)
      return `answered ${answer.body.slice(0, 200)} after ${before.body.slice(0, 200)}`
    return before.first && isFirst ? `was done again: ${answer.status}, and no replay` : null
  }
}

const isReplay = ({ answer }: Seen): boolean => answer.headers.get('idempotent-replayed') === 'true'

function isKept(seen: Seen): boolean {
  const { answer } = seen
  if (isReplay(seen) || answer.status < 300) return true
  if (answer.status >= 500) return false
  const { error } = (parsed(answer) ?? {}) as { error?: { code: ErrorCode; param?: string } }
  // What is no envelope is another's matter (enveloped.ts).
  if (error === undefined) return false
  const isOutside = outside.test(error.param ?? '') || answer.headers.get('connection') === 'close'
  return !(error.code === 'VALIDATION_ERROR' && isOutside) && !beforeTheKey.has(error.code)
}
