import type { ErrorCode } from '../../../src/platform/errors.ts'
import { parsed } from '../wire/response.ts'
import { type Check, type Exchange, operationAt } from './exchange.ts'

/** Not stored, because they come before the key's lookup or belong to incomplete requests. 5xx aren't stored either. */
const beforeTheKey: ReadonlySet<string> = new Set(
  `MISSING_CREDENTIALS INVALID_AUTH_HEADER INVALID_API_KEY API_ACCESS_NOT_ACTIVE
  LIVE_ACCESS_NOT_APPROVED SECRET_KEY_REQUIRED SCOPE_REQUIRED IP_NOT_ALLOWED SANDBOX_ONLY
  RATE_LIMITED IDEMPOTENCY_KEY_REQUIRED IDEMPOTENCY_KEY_INVALID
  IDEMPOTENCY_REQUEST_IN_PROGRESS INVALID_JSON PAYLOAD_TOO_LARGE UNSUPPORTED_MEDIA_TYPE
  HEADERS_TOO_LARGE REQUEST_TIMEOUT`.split(/\s+/),
)
const outside = /^(path|file)$/

/** Only simultaneous requests may differ: if one is refused and one executed, later ones get the latter's result. */
export function createOncePerKey(): Check {
  const kept = new Map<string, Exchange & { hasFirst: boolean }>()
  return (exchange) => {
    const { actor, attack, response, line, idempotencyKey } = exchange
    const isWrite = (operationAt(attack.method, line)?.method ?? 'get') !== 'get'
    if (idempotencyKey?.startsWith('scene-') !== true || !isWrite || !isKept(exchange)) return null
    const claim = [actor.key, attack.method, line.split('?')[0], idempotencyKey].join(' ')
    const isFirst = !isReplay(exchange)
    const before = kept.get(claim)
    const isBeside = before !== undefined && exchange.sentAt < before.endedAt
    const isEffect = before !== undefined && isRefused(before) && !isRefused(exchange)
    const isOvertaken = isEffect && (isBeside || !isFirst)
    if (before === undefined || isOvertaken) {
      kept.set(claim, { ...exchange, hasFirst: isFirst })
      return null
    }
    if (isBeside && isRefused(exchange) && !isRefused(before)) return null
    const { hasFirst } = before
    before.hasFirst ||= isFirst
    if (before.response.body !== response.body)
      return `got ${response.body.slice(0, 200)} after ${before.response.body.slice(0, 200)}`
    return hasFirst && isFirst ? `was executed twice: ${response.status}, and no replay` : null
  }
}

const isRefused = ({ response }: Exchange): boolean => response.status >= 400 && response.status !== 402
const isReplay = ({ response }: Exchange): boolean => response.headers.get('idempotent-replayed') === 'true'

function isKept(exchange: Exchange): boolean {
  const { response } = exchange
  if (isReplay(exchange) || response.status < 300) return true
  if (response.status >= 500) return false
  const { error } = (parsed(response) ?? {}) as { error?: { code: ErrorCode; param?: string } }
  if (error === undefined) return false
  const isOutside = outside.test(error.param ?? '') || response.headers.get('connection') === 'close'
  return !(error.code === 'VALIDATION_ERROR' && isOutside) && !beforeTheKey.has(error.code)
}
