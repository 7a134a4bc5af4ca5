import { randomBytes } from 'node:crypto'
import type { Role } from '../../src/staff/account.ts'
import { createAccount } from '../../src/staff/create-account.ts'
import type { Service } from '../support/service.ts'

/** What a browser got: headers as they came, the document as text. */
export interface Got {
  status: number
  headers: Headers
  text: string
  location: string | null
}

/** Somebody in front of a browser without scripts: the cookie it keeps, the token of its forms. */
export interface Visitor {
  get(path: string, headers?: Record<string, string>): Promise<Got>
  /** Sends a form as a page of ours would; `headers` add to or replace what a browser says. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Got>
  /** As `post`, with the token of the session in the form. */
  act(path: string, fields?: Record<string, string>): Promise<Got>
  /** `__Host-staff=…`, or nothing. */
  cookie: string
}

export const atShell = { kind: 'operator', name: 'tester', ip: null } as const

/** A new account, as the command line makes one. */
export async function hire(service: Service, role: Role): Promise<{ name: string; password: string }> {
  const name = `${role}-${randomBytes(4).toString('hex')}`
  const account = await createAccount(service.deps, { name, role }, atShell)
  if (account === null) throw new Error('the name is taken')
  return account
}

/** Somebody who is not signed in. `origin` is the process they talk to. */
export function visit({ origin }: { origin: string }, cookie = ''): Visitor {
  const ask = async (path: string, init: RequestInit): Promise<Got> => {
    const kept = visitor.cookie === '' ? {} : { Cookie: visitor.cookie }
    const headers = { ...kept, ...(init.headers as Record<string, string>) }
    const response = await fetch(origin + path, { ...init, headers, redirect: 'manual' })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) visitor.cookie = /Max-Age=0/.test(set) ? '' : String(set.split(';')[0])
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location'),
    }
  }
  const visitor: Visitor = {
    cookie,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { Origin: origin, ...headers },
      }),
    async act(path, fields = {}) {
      const { text } = await visitor.get('/admin/audit')
      const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
      return visitor.post(path, { ...fields, csrf })
    },
  }
  return visitor
}

/** Somebody with an account of this role, signed in by the form. */
export async function signedIn(
  service: Service,
  role: Role,
): Promise<Visitor & { name: string; password: string }> {
  const account = await hire(service, role)
  const visitor = visit(service)
  const { status, text } = await visitor.post('/admin/sign-in', account)
  if (status !== 303) throw new Error(text)
  return Object.assign(visitor, account)
}

/** What somebody reads on a page: its text without the marks. */
export const readable = (html: string): string =>
  html
    .replace(/^.*<main/s, '<main')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:;?])/g, '$1')
