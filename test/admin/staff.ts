import { randomBytes } from 'node:crypto'
import { TOTP } from 'otpauth'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { createAccount } from '../../src/staff/change-account.ts'
import type { Role } from '../../src/staff/permissions.ts'
import type { Service } from '../support/service.ts'

/** A page as a browser receives it. */
export interface Page {
  status: number
  headers: Headers
  text: string
  location: string | null
}

/** A browser without scripts. It keeps the cookie of the session. */
export interface Visitor {
  get(path: string, headers?: Record<string, string>): Promise<Page>
  /** Submits a form from a page of this site. `headers` add to or replace the headers of a browser. */
  post(
    path: string,
    fields: Record<string, string> | [string, string][],
    headers?: Record<string, string>,
  ): Promise<Page>
  /** Like `post`, with the token of the session in the form. */
  act(path: string, fields?: Record<string, string>): Promise<Page>
  /** `__Host-staff=…`, or empty. */
  cookie: string
}

/** What else a service or a command needs to run in production. */
export const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.example',
  PAY_URL: 'https://pay.example',
  METRICS_PORT: '0',
}

export const operator = { actor: { kind: 'operator', name: 'tester', from: null }, reason: null } as const

/** Creates an account, as the command line does. */
export async function hire(
  service: Service,
  role: Role,
  name = `${role}-${randomBytes(4).toString('hex')}`,
): Promise<{ name: string; password: string }> {
  const account = await createAccount(service.deps, { name, role }, operator)
  if (account === null) throw new Error('the name is taken')
  return account
}

/** Opens a browser that is not signed in. `origin` is that of the process. */
export function visit({ origin }: { origin: string }, cookie = ''): Visitor {
  const send = async (path: string, init: RequestInit): Promise<Page> => {
    const kept = visitor.cookie === '' ? {} : { Cookie: visitor.cookie }
    const headers = { ...kept, ...(init.headers as Record<string, string>) }
    const response = await fetch(origin + path, { ...init, headers, redirect: 'manual' })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) visitor.cookie = /Max-Age=0/.test(set) ? '' : String(set.split(';')[0])
    const { status, headers: received } = response
    return { status, headers: received, text: await response.text(), location: received.get('location') }
  }
  // The token of a session stays the same.
  let form = { cookie: '', csrf: '' }
  const visitor: Visitor = {
    cookie,
    get: (path, headers = {}) => send(path, { headers }),
    post(path, fields, headers = {}) {
      const body = new URLSearchParams(fields)
      return send(path, { method: 'POST', body, headers: { Origin: origin, ...headers } })
    },
    async act(path, fields = {}) {
      if (form.cookie !== visitor.cookie) {
        const { text } = await visitor.get('/admin/account')
        form = { cookie: visitor.cookie, csrf: /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '' }
      }
      return visitor.post(path, { ...fields, csrf: form.csrf })
    },
  }
  return visitor
}

/** Opens a browser and signs in with a new account of this role. */
export async function signedIn(service: Service, role: Role): Promise<Visitor & { name: string; password: string }> {
  const account = await hire(service, role)
  const visitor = visit(service)
  const { status, text } = await visitor.post('/admin/sign-in', account)
  if (status !== 303) throw new Error(text)
  return Object.assign(visitor, account)
}

/** Returns the hidden fields of all forms on a page. If several have the same name, the last one counts. */
export const hiddenFields = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )

/** An authenticator app with the recovery codes of its account. */
export interface Phone {
  /** Returns the code of a time step, relative to the current step of the service's clock. */
  code(step?: number): string
  recoveryCodes: string[]
}

/** Adds the key on the page for a second factor to an app. Returns the app and the fields of the form. */
export async function scan(service: Service, visitor: Visitor) {
  const { text } = await visitor.get('/admin/account/second-factor')
  const secret = /<code>([A-Z2-7 ]{39})<\/code>/.exec(text)?.[1]?.replaceAll(' ', '') ?? ''
  const code = (step = 0) => new TOTP({ secret }).generate({ timestamp: service.clock.now().getTime() + step * 30_000 })
  return { fields: hiddenFields(text), code, secret }
}

/** Adds a second factor to the account of a visitor. `current` is a code of the factor that it replaces. */
export async function addFactor(service: Service, visitor: Visitor, current = ''): Promise<Phone> {
  const { fields, code } = await scan(service, visitor)
  const added = await visitor.post('/admin/account/second-factor', { ...fields, code: code(), current })
  const recoveryCodes = [...added.text.matchAll(/<code>([\w-]{29})<\/code>/g)].map(([, each = '']) => each)
  if (added.status !== 200 || recoveryCodes.length !== 10) throw new Error(added.text)
  return { code, recoveryCodes }
}

/** Returns the readable text of a page, without its markup. */
export const readable = (html: string): string =>
  html
    .replace(/^.*<main/s, '<main')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:;?])/g, '$1')

/** Counts the refusals in the audit trail, of which repeated ones share a line. */
export async function refusalsIn({ deps }: Service, matches: (line: AuditEvent) => boolean) {
  const lines = await deps.AuditEvent.find({ act: 'staff.sign-in-refused' }).lean<AuditEvent[]>()
  const found = lines.filter(matches)
  const notes = found.flatMap(({ subject, after }) => after?.notes ?? `${subject}: ${String(after?.reason)}`)
  return { count: found.reduce((sum, { after }) => sum + Number(after?.times ?? 1), 0), notes: [...new Set(notes)] }
}
