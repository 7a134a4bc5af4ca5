import { randomUUID } from 'node:crypto'

// Calls the API with the key in KEY, at the address in BASE. After a lost connection, 429 or a failure of the service,
// repeats the request with the same idempotency key.
export async function call(method, path, body, idempotencyKey = randomUUID()) {
  const json = body == null ? undefined : JSON.stringify(body, refuseLost)
  for (let attempt = 1; ; attempt++)
    try {
      return await send(method, path, json, idempotencyKey)
    } catch (error) {
      const { statusCode = 503, code, retryAfter = 0 } = error // without a status: no response
      const isTemporary =
        statusCode === 429 || statusCode >= 500 || code === 'IDEMPOTENCY_REQUEST_IN_PROGRESS'
      if (attempt === 5 || !isTemporary || retryAfter > 60) throw error
      await new Promise((resolve) => setTimeout(resolve, 1000 * (retryAfter || attempt)))
    }
}

// JSON.stringify omits or replaces some values. A refund without its amount would be a full refund, so this throws.
function refuseLost(name, value) {
  const isText = !/\p{Surrogate}/u.test(name) && (typeof value !== 'string' || !/\p{Surrogate}/u.test(value))
  // toJSON may replace a field, but not the body.
  const isReplaced = value !== this[name] && (name === '' || value === null)
  if (isPlain(value) && isText && !isReplaced) return value
  throw new TypeError(`${name || 'The body'} cannot be sent as JSON.`)
}

// Fields that are inherited, private, hidden or named by a symbol would be omitted.
function isPlain(value) {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true
  if (typeof value !== 'object') return Number.isFinite(value)
  const prototype = Object.getPrototypeOf(value)
  const count = Reflect.ownKeys(value).length
  if (Array.isArray(value)) return prototype === Array.prototype && count === value.length + 1
  return (prototype === Object.prototype || prototype === null) && count === Object.keys(value).length
}

async function send(method, path, body, idempotencyKey) {
  const headers = { Authorization: `Bearer ${process.env.KEY}`, 'Content-Type': 'application/json' }
  if (method !== 'GET') headers['X-Idempotency-Key'] = idempotencyKey
  const request = { method, headers, body, signal: AbortSignal.timeout(40_000) }
  const response = await fetch(process.env.BASE + path, request)
  const { success, data, error } = await response.json()
  if (success) return data
  const { code, message, statusCode, requestId } = error
  const retryAfter = Number(response.headers.get('Retry-After'))
  throw Object.assign(new Error(`${code}: ${message} (request ${requestId})`), {
    code,
    statusCode,
    retryAfter,
  })
}
