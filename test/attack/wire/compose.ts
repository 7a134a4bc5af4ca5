import type { Actor } from '../cast/actors.ts'
import type { Staff } from '../cast/cast.ts'
import { badAuthorizations } from '../corpora/headers.ts'
import type { Attack, Site } from '../generators/attack.ts'

export type Sender = { actor: Actor; staff: Staff; fill(text: string): string }

/** These requests carry a session, except sign-ins, which would end it. */
const needsSession = (line: string): boolean => /^\/(admin|till|portal)(\/|$|\?)/.test(line)
type Header = readonly [name: string, value: string]

const browserHeaders = (origin: string, site: string): Header[] => [
  ['Origin', origin],
  ['Sec-Fetch-Site', site],
]

const headersOfSite: Readonly<Record<Site, readonly Header[]>> = {
  own: browserHeaders('https://service.example', 'same-origin'),
  foreign: browserHeaders('https://evil.example', 'cross-site'),
  hidden: browserHeaders('null', 'cross-site'),
  sibling: browserHeaders('https://shop.service.example', 'same-site'),
  silent: [],
}

export function compose(attack: Attack, { actor, staff, fill }: Sender): Buffer {
  if (attack.raw !== null) return Buffer.from(fill(attack.raw.text), 'latin1')
  const body = typeof attack.body === 'string' ? Buffer.from(fill(attack.body)) : attack.body
  const line = fill(attack.line)
  const [second, third] = attack.from
  const cookie = /^\/(admin|portal)\/sign-in/.test(line) ? null : staff.cookie
  const browser: Header[] = needsSession(line)
    ? [...(cookie === null ? [] : [['Cookie', cookie] as const]), ...headersOfSite[attack.site]]
    : []
  const headers: Header[] = [
    ['Host', 'service.example'],
    ['X-Forwarded-For', `203.0.113.9, 198.18.${second}.${third}`],
    ...authorization(attack, actor),
    ...browser,
    ...(attack.idempotencyKey === null ? [] : [['X-Idempotency-Key', attack.idempotencyKey] as const]),
    ...(attack.contentType === null ? [] : [['Content-Type', attack.contentType] as const]),
    ...attack.headers,
    ...(body === null ? [] : [framing(attack, body)]),
  ]
  const head = [
    `${attack.method} ${asTarget(line)} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${fill(value)}`),
    '',
    '',
  ]
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), ...bodyBytes(attack, body)])
}

function authorization({ badAuthorization }: Attack, { kind, key }: Actor): Header[] {
  if (key === null) return []
  const bad = badAuthorizations[badAuthorization % badAuthorizations.length] ?? ''
  return [['Authorization', kind === 'malformed' ? bad : 'Bearer ~key~']]
}

const framing = ({ isChunked }: Attack, body: Buffer): Header =>
  isChunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(body.length)]

function bodyBytes({ isChunked }: Attack, body: Buffer | null): Buffer[] {
  if (body === null) return []
  if (!isChunked) return [body]
  const last = Buffer.from('0\r\n\r\n')
  const size = Buffer.from(`${body.length.toString(16)}\r\n`)
  return body.length === 0 ? [last] : [size, body, Buffer.from('\r\n'), last]
}

const asTarget = (line: string): string =>
  line.replaceAll(/[^\x21-\x7e]/gu, (each) => encodeURIComponent(each.toWellFormed()))
