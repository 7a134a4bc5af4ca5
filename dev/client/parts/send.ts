import { attempt } from './attempt.ts'
import { PaymentsError } from './errors.ts'
import { delayBeforeRetry, sleep } from './retries.ts'
import type { CallOptions } from './types.ts'

export interface PaymentsSettings {
  /** A secret key (`sk_test_…` or `sk_live_…`). The client never shows it. */
  key: string
  /** The URL of the service, such as `https://api.payments.example`. */
  baseUrl: string
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** The timeout of one attempt, in ms. Defaults to 30 000, because a refund may take 20 s. */
  timeoutMs?: number | undefined
  /** How often an operation is repeated after an error that may be temporary. Defaults to 4. */
  maxRetries?: number | undefined
}

/** The method and the path of an operation, and where the fields of its input belong. */
export interface Endpoint {
  method: string
  path: string
  /** The query parameters of a write. All fields of a read that are not in the path are query parameters. */
  query?: readonly string[]
  hasBody?: true
  /** The response is a file, which the caller reads. */
  isFile?: true
}

export type Send = (endpoint: Endpoint, input: Record<string, unknown>, options?: CallOptions) => Promise<unknown>

/** A key with other characters could not be a header, and the error of `fetch` would show it. */
const keyPattern = /^[\x21-\x7e]+$/

/**
 * Creates the function that sends operations. It repeats an operation after a temporary error. A write keeps its
 * idempotency key, so the service carries it out only once.
 */
export function createSend(settings: PaymentsSettings): Send {
  const { key, baseUrl, timeoutMs = 30_000, maxRetries = 4 } = settings
  if (!keyPattern.test(key)) throw new TypeError('key must be an API key, such as sk_test_…')
  const base = baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
  if (!/^https?:\/\//.test(base)) throw new TypeError('baseUrl must be an absolute URL.')
  const fetchNow = settings.fetch ?? ((url: string, init: RequestInit) => fetch(url, init))

  return async (endpoint, input, options = {}) => {
    const { url, body } = addressOf(endpoint, input)
    const headers = new Headers({
      Accept: 'application/json, */*;q=0.5',
      Authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(endpoint.method === 'GET' ? {} : { 'X-Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID() }),
    })
    const init = {
      method: endpoint.method,
      headers,
      redirect: 'manual' as const,
      ...(body === undefined ? {} : { body }),
    }
    const most = options.maxRetries ?? maxRetries
    for (let retries = 0; ; retries += 1) {
      const result = await attempt(
        (signal) => fetchNow(`${base}/api/v1${url}`, { ...init, signal }),
        endpoint.isFile ?? false,
        options.timeoutMs ?? timeoutMs,
        options.signal,
      )
      if (!(result instanceof PaymentsError)) return result.data
      const delayMs = delayBeforeRetry(result, retries)
      if (retries >= most || delayMs === undefined) throw result
      await sleep(delayMs, options.signal)
    }
  }
}

/** Fills in the path, and divides the other fields of the input into the query and the JSON body. */
function addressOf({ method, path, query = [], hasBody }: Endpoint, input: Record<string, unknown>) {
  // The copy would have only the input's own fields.
  refuseLost.call({ '': input }, '', input)
  const rest = { ...input }
  const take = (name: string): unknown => {
    const value = rest[name]
    delete rest[name]
    return value
  }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(take(name))
    // URL parsers remove such a segment, so the request would go to another path.
    if (value === '.' || value === '..') throw new TypeError(`${name} must not be "${value}".`)
    return encodeURIComponent(value)
  })
  const params = new URLSearchParams()
  for (const name of method === 'GET' ? Object.keys(rest) : query) {
    const value = take(name)
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) params.append(name, String(each))
  }
  const search = params.toString()
  return {
    url: search === '' ? filled : `${filled}?${search}`,
    body: hasBody ? JSON.stringify(rest, refuseLost) : undefined,
  }
}

/** JSON.stringify omits or replaces some values. A refund without its amount would be a full refund, so this throws. */
function refuseLost(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const isText = !/\p{Surrogate}/u.test(name) && (typeof value !== 'string' || !/\p{Surrogate}/u.test(value))
  // toJSON may replace a field, but not the input.
  const isReplaced = value !== this[name] && (name === '' || value === null)
  if (isPlain(value) && isText && !isReplaced) return value
  throw new TypeError(`${name || 'The input'} cannot be sent as JSON.`)
}

/** Fields that are inherited, private, hidden or named by a symbol would be omitted. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true
  if (typeof value !== 'object') return Number.isFinite(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  const count = Reflect.ownKeys(value).length
  if (Array.isArray(value)) return prototype === Array.prototype && count === value.length + 1
  return (prototype === Object.prototype || prototype === null) && count === Object.keys(value).length
}
