import { catalogue } from '../../../src/errors.ts'
import { parsed } from '../wire/answer.ts'
import { isApi, isBoard, isPage, type Oracle, type Seen } from './seen.ts'

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const fields = new Set(['code', 'message', 'statusCode', 'requestId', 'param', 'details'])

/** Every response has the envelope, except files, pages and responses to machines. */
export const enveloped: Oracle = (seen) => {
  const { answer, attack } = seen
  if (answer.beyond > mayFollow(seen)) return `is followed by ${answer.beyond} bytes that belong to no answer`
  if (!uuid.test(answer.headers.get('x-request-id') ?? '')) return 'has no X-Request-Id of its own'
  if (answer.headers.get('x-content-type-options') !== 'nosniff') return 'may be sniffed'
  const isKnown = answer.status === 304 && attack.headers.some(([name]) => name === 'If-None-Match')
  if (attack.method === 'HEAD' || answer.status === 204 || isKnown) return null
  const type = answer.headers.get('content-type') ?? 'none'
  if (type === 'application/json; charset=utf-8' && answer.body.startsWith('{"success":'))
    return envelopeFault(seen)
  const known = others.find(({ is }) => is(seen, type))
  return known === undefined ? `is no envelope but ${type}: ${answer.body.slice(0, 200)}` : known.fault(seen)
}

/** A HEAD request that could not be parsed may get a refusal with a body that ends the connection. */
const mayFollow = ({ answer: { headers }, attack }: Seen): number =>
  attack.method === 'HEAD' && headers.get('connection') === 'close'
    ? Number(headers.get('content-length'))
    : 0

function envelopeFault({ answer }: Seen): string | null {
  const envelope = parsed(answer)
  if (envelope === undefined) return `is no JSON: ${answer.body.slice(0, 200)}`
  const { success, data, error, ...rest } = envelope as Record<string, unknown>
  if (Object.keys(rest).length > 0) return `has more in its envelope: ${Object.keys(rest).join()}`
  if (success === true)
    return answer.status < 300 && data !== undefined ? null : `is a success of ${answer.status}`
  const { code, message, statusCode, requestId, ...more } = (error ?? {}) as Record<string, unknown>
  const [status] = catalogue[code as keyof typeof catalogue] ?? [null]
  if (status !== answer.status || statusCode !== status)
    return `is a ${answer.status} that says ${String(code)}`
  if (typeof message !== 'string' || message === '') return 'says nothing'
  // A replay has the same bytes, and so the request id of the first response.
  const isReplay = answer.headers.get('idempotent-replayed') === 'true'
  if (!isReplay && requestId !== answer.headers.get('x-request-id'))
    return 'has another request id in its header'
  return Object.keys(more).some((name) => !fields.has(name))
    ? `has more in its error: ${Object.keys(more).join()}`
    : null
}

/** The policy of every page contains these. */
const forbidden = ["default-src 'none'", "frame-ancestors 'none'"]

function htmlFault({ answer: { headers }, line }: Seen): string | null {
  const policy = headers.get('content-security-policy') ?? ''
  // Bull Board's page has inline styles.
  const judged = isBoard(line) ? policy.replace("style-src 'self' 'unsafe-inline'", '') : policy
  if (forbidden.some((part) => !policy.includes(part)) || judged.includes('unsafe-'))
    return `has the policy ${policy}`
  const wrong = demanded.find(([name, form]) => !form.test(headers.get(name) ?? ''))
  return wrong === undefined ? null : `has ${wrong[0]}: ${headers.get(wrong[0]) ?? 'none'}`
}

/** The headers of every page. */
const demanded: readonly (readonly [header: string, form: RegExp])[] = [
  ['referrer-policy', /^(no-referrer|same-origin)$/],
  ['cache-control', /^no-store$/],
  ['x-frame-options', /^DENY$/],
  ['x-robots-tag', /noindex/],
]
const fine = (): null => null

/** The responses without envelope. */
const others: { is: (seen: Seen, type: string) => boolean; fault: (seen: Seen) => string | null }[] = [
  { is: ({ line }, type) => type.startsWith('text/html') && isPage(line), fault: htmlFault },
  // Raw requests may ask for a page.
  { is: ({ attack }, type) => attack.raw !== null && type.startsWith('text/html'), fault: htmlFault },
  {
    is: ({ line, answer }, type) => isApi(line) && type.startsWith('text/csv') && answer.status === 200,
    fault: fine,
  },
  { is: ({ line, answer }) => line.startsWith('/api/v1/openapi.json') && answer.status === 200, fault: fine },
  {
    is: ({ line, answer }, type) =>
      line.startsWith('/metrics') && type.startsWith('text/plain') && answer.status === 200,
    fault: fine,
  },
  {
    is: ({ attack, answer, line }) =>
      (attack.raw !== null || /^\/(healthz|readyz)/.test(line)) &&
      answer.status === 200 &&
      /^\{"status":"(ok|degraded)"[^<]*\}$/.test(answer.body),
    fault: fine,
  },
  { is: ({ line, answer }) => isPage(line) && answer.status >= 300 && answer.status < 400, fault: fine },
  {
    is: ({ line, answer }, type) =>
      isPage(line) && answer.status === 200 && /^(text\/css|text\/javascript|image\/)/.test(type),
    fault: fine,
  },
  {
    is: ({ line }, type) => (isBoard(line) || line.startsWith('/p/')) && type.startsWith('application/json'),
    fault: fine,
  },
]
