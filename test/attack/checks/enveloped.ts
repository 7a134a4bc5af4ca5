import { errorCatalogue } from '../../../src/platform/errors.ts'
import { parsed } from '../wire/response.ts'
import { type Check, type Exchange, isApi, isBoard, isForPeople, isPage } from './exchange.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const fields = new Set(['code', 'message', 'statusCode', 'requestId', 'param', 'details'])

export const enveloped: Check = (exchange) => {
  const { response, attack, line } = exchange
  if (response.beyond > mayFollow(exchange)) return `is followed by ${response.beyond} bytes of no response`
  if (!uuid.test(response.headers.get('x-request-id') ?? '')) return 'has no X-Request-Id'
  if (response.headers.get('x-content-type-options') !== 'nosniff') return 'lacks X-Content-Type-Options'
  const isNotModified = response.status === 304 && attack.headers.some(([name]) => name === 'If-None-Match')
  if (attack.method === 'HEAD' || response.status === 204 || isNotModified) return null
  const type = response.headers.get('content-type') ?? 'none'
  if (type === 'application/json; charset=utf-8' && response.body.startsWith('{"success":'))
    return envelopeFault(exchange)
  // Raw bytes may request a page.
  if (type.startsWith('text/html') && (isPage(line) || attack.raw !== null)) return htmlFault(exchange)
  return hasNoEnvelope(exchange, type)
    ? null
    : `has no envelope but is ${type}: ${response.body.slice(0, 99)}`
}

/** An unparsable HEAD request may be refused with a body, which ends the connection. */
const mayFollow = ({ response: { headers }, attack }: Exchange): number =>
  attack.method === 'HEAD' && headers.get('connection') === 'close'
    ? Number(headers.get('content-length'))
    : 0

function envelopeFault({ response }: Exchange): string | null {
  const envelope = parsed(response)
  if (envelope === undefined) return `is no JSON: ${response.body.slice(0, 200)}`
  const { success, data, error, ...rest } = envelope as Record<string, unknown>
  if (Object.keys(rest).length > 0) return `has more fields in its envelope: ${Object.keys(rest).join()}`
  const isSuccess = response.status < 300 && data !== undefined
  if (success === true) return isSuccess ? null : `is a success of ${response.status}`
  const { code, message, statusCode, requestId, ...more } = (error ?? {}) as Record<string, unknown>
  const [status] = errorCatalogue[code as keyof typeof errorCatalogue] ?? [null]
  if (status !== response.status || statusCode !== status)
    return `has the status ${response.status} and the code ${String(code)}`
  if (typeof message !== 'string' || message === '') return 'has no message'
  const isReplay = response.headers.get('idempotent-replayed') === 'true'
  if (!isReplay && requestId !== response.headers.get('x-request-id'))
    return 'has different request ids in its body and its header'
  return Object.keys(more).some((name) => !fields.has(name))
    ? `has more fields in its error: ${Object.keys(more).join()}`
    : null
}

const directives = ["default-src 'none'", "frame-ancestors 'none'"]

function htmlFault({ response: { headers }, line }: Exchange): string | null {
  const policy = headers.get('content-security-policy') ?? ''
  // Bull Board's page has inline styles.
  const own = isBoard(line) ? policy.replace("style-src 'self' 'unsafe-inline'", '') : policy
  const isWeak = own.includes('unsafe-') || directives.some((part) => !policy.includes(part))
  if (isWeak) return `has the policy ${policy}`
  const wrong = pageHeaders.find(([name, form]) => !form.test(headers.get(name) ?? ''))
  return wrong === undefined ? null : `has ${wrong[0]}: ${headers.get(wrong[0]) ?? 'none'}`
}

const pageHeaders: readonly (readonly [header: string, form: RegExp])[] = [
  ['referrer-policy', /^(no-referrer|strict-origin)$/],
  ['cache-control', /^(no-store|public, max-age=300)$/],
  ['x-frame-options', /^DENY$/],
  ['x-robots-tag', /noindex/],
]

function hasNoEnvelope({ line, attack, response: { status, body } }: Exchange, type: string): boolean {
  const isRedirect = isPage(line) && status >= 300 && status < 400
  const isPageData = (isBoard(line) || line.startsWith('/p/')) && type.startsWith('application/json')
  const isHealthCheck = attack.raw !== null || /^\/(healthz|readyz)/.test(line)
  const isFile =
    line.startsWith('/api/v1/openapi.json') ||
    (/^\/docs\/(clients\/|packages\/|webhook-signatures)/.test(line) &&
      /^(text\/plain|application\/(json|gzip|zip))/.test(type)) ||
    ((isApi(line) || isForPeople(line)) && /^(text\/csv|application\/x-ndjson)/.test(type)) ||
    (line.startsWith('/metrics') && type.startsWith('text/plain')) ||
    (isPage(line) && /^(text\/css|text\/javascript|image\/)/.test(type)) ||
    (isHealthCheck && /^\{"status":"(ok|degraded)"[^<]*\}$/.test(body))
  return isRedirect || isPageData || (status === 200 && isFile)
}
