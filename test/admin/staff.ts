import { randomBytes } from 'node:crypto'
import { TOTP } from 'otpauth'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { createAccount } from '../../src/staff/change-account.ts'
import type { StaffRole } from '../../src/staff/permissions.ts'
import type { Service } from '../support/service.ts'
import { withOpened } from '../support/with.ts'

export type Page = { status: number; headers: Headers; text: string; location: string | null }

/** Runs no scripts, and keeps the session cookie. */
export type Visitor = ReturnType<typeof visit>

export type StaffVisitor = Visitor & { name: string; password: string }
const urls = { PUBLIC_URL: 'https://api.example', PAY_URL: 'https://pay.example' }
export const production = { NODE_ENV: 'production', METRICS_PORT: '0', ...urls }
export const operator = { actor: { kind: 'operator', name: 'tester', from: null }, reason: null } as const

export async function hire(
  service: Service,
  role: StaffRole,
  name = `${role}-${randomBytes(4).toString('hex')}`,
): Promise<{ name: string; password: string }> {
  const account = await createAccount(service.deps, { name, role }, operator)
  if (account === null) throw new Error('the name is taken')
  return account
}

/** A browser that isn't signed in yet, for the process at `origin`. */
export function visit({ origin }: { origin: string }, firstCookie = '', accountPath = '/admin/account') {
  let cookie = firstCookie
  const send = async (path: string, init: RequestInit): Promise<Page> => {
    const kept = cookie === '' ? {} : { Cookie: cookie }
    const headers = { 'Accept-Language': 'en', ...kept, ...(init.headers as Record<string, string>) }
    const response = await fetch(origin + path, { ...init, headers, redirect: 'manual' })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) cookie = /Max-Age=0/.test(set) ? '' : String(set.split(';')[0])
    const { status, headers: received } = response
    return { status, headers: received, text: await response.text(), location: received.get('location') }
  }
  // A session's token never changes.
  let form = { cookie: '', csrf: '' }
  const visitor = {
    get cookie(): string {
      return cookie
    },
    accountPath,
    get: (path: string, headers: Record<string, string> = {}) => send(path, { headers }),
    read: async (path: string) => readable((await send(path, {})).text),
    /** Submits a form of this site. `headers` add to or replace a browser's headers. */
    post(path: string, fields: Record<string, string> | [string, string][], headers = {}) {
      const body = new URLSearchParams(fields)
      return send(path, { method: 'POST', body, headers: { Origin: origin, ...headers } })
    },
    /** Like `post`, with the session's CSRF token. */
    async act(path: string, fields: Record<string, string> = {}): Promise<Page> {
      if (form.cookie !== cookie) {
        const { csrf = '' } = hiddenFields((await visitor.get(accountPath)).text)
        form = { cookie, csrf }
      }
      return visitor.post(path, { ...fields, csrf: form.csrf })
    },
  }
  return visitor
}

export async function signedIn(service: Service, role: StaffRole): Promise<StaffVisitor> {
  const account = await hire(service, role)
  const visitor = visit(service)
  const { status, text } = await visitor.post('/admin/sign-in', account)
  if (status !== 303) throw new Error(text)
  return Object.assign(visitor, account)
}

export const isSignedIn = async (visitor: Visitor) => (await visitor.get('/admin/audit')).status === 200

export const signInStatus = async (service: Service, name: string, password: unknown): Promise<number> =>
  (await visit(service).post('/admin/sign-in', { name, password: String(password) })).status

export const trailOf = ({ deps }: Service, subject: string): Promise<AuditEvent[]> =>
  deps.AuditEvent.find({ subject }).sort({ at: 1, _id: 1 }).lean<AuditEvent[]>().exec()

export const withStaff = (service: Service, role: StaffRole): StaffVisitor =>
  withOpened(() => signedIn(service, role))

/** Looks at all forms on the page. The last one wins if names repeat. */
export const hiddenFields = (html: string): Record<string, string> =>
  Object.fromEntries(
    Array.from(html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g), ([, name = '', value = '']) => {
      return [name, unescaped(value)]
    }),
  )

/** Reads the key on the second-factor page into an app. A code's `step` is relative to the service's clock. */
export async function scan(service: Service, visitor: Visitor) {
  const { text } = await visitor.get(`${visitor.accountPath}/second-factor`)
  const secret = /<code>([A-Z2-7 ]{39})<\/code>/.exec(text)?.[1]?.replaceAll(' ', '') ?? ''
  const code = (step = 0) =>
    new TOTP({ secret }).generate({ timestamp: service.clock.now().getTime() + step * 30_000 })
  return { fields: hiddenFields(text), code, secret }
}

/** Returns an authenticator app and recovery codes. `current` is a code from the factor to replace. */
export async function addFactor(service: Service, visitor: Visitor, current = '') {
  const { fields, code } = await scan(service, visitor)
  const added = await visitor.post(`${visitor.accountPath}/second-factor`, {
    ...fields,
    code: code(),
    current,
  })
  const recoveryCodes = [...added.text.matchAll(/<code>([\w-]{29})<\/code>/g)].map(([, each = '']) => each)
  if (added.status !== 200 || recoveryCodes.length !== 10) throw new Error(added.text)
  return { code, recoveryCodes }
}

export const unescaped = (html: string): string =>
  html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

export const nextPath = (html: string): string | undefined => {
  const [, href] = /rel="next" href="([^"]+)"/.exec(html) ?? []
  return href && unescaped(href)
}

export const readable = (html: string): string =>
  unescaped(html.replace(/^.*<main/s, '<main').replaceAll(/<[^>]+>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:;?])/g, '$1')

/** Counts refusals in the audit trail, where repeated ones share a line. */
export async function refusalsIn({ deps }: Service, matches: (line: AuditEvent) => boolean) {
  const lines = await deps.AuditEvent.find({ act: 'staff.sign-in-refused' }).lean<AuditEvent[]>()
  const found = lines.filter(matches)
  const notes = found.flatMap(({ subject, after }) => after?.notes ?? `${subject}: ${String(after?.reason)}`)
  const count = found.reduce((sum, { after }) => sum + Number(after?.times ?? 1), 0)
  return { count, notes: [...new Set(notes)] }
}
