import { randomBytes } from 'node:crypto'
import type { Deps } from '../../../src/deps.ts'
import type { Role } from '../../../src/staff/account.ts'
import { createAccount } from '../../../src/staff/create-account.ts'
import type { MadeSecrets } from './secrets.ts'

export interface Staff {
  role: Role | 'forged' | 'absent'
  name: string
  password: string
  /** `__Host-staff=…`; null for none. */
  cookie: string | null
  csrf: string
}

/** Accounts of both roles, signed in. Also a forged session, and none. */
export async function hireStaff(deps: Deps, origin: string, secrets: MadeSecrets): Promise<Staff[]> {
  const staff: Staff[] = []
  for (const role of ['viewer', 'support'] as const) {
    const asked = { name: `${role}-${randomBytes(3).toString('hex')}`, role }
    const account = await createAccount(deps, asked, { kind: 'operator', name: 'attack', ip: null })
    if (account === null) throw new Error('the name is taken')
    secrets.add('password', account.password)
    staff.push({ role, ...account, ...(await signIn(origin, account)) })
  }
  const forged = randomBytes(24).toString('base64url')
  const stranger = { role: 'forged', name: 'forged', password: 'forged-password' } as const
  staff.push({ ...stranger, cookie: `__Host-staff=${forged}`, csrf: forged })
  for (const { cookie, csrf } of staff) {
    secrets.add('session', cookie?.split('=')[1] ?? '')
    secrets.add('form token', csrf)
  }
  return [...staff, { ...stranger, role: 'absent', cookie: null, csrf: 'none' }]
}

async function signIn(origin: string, account: { name: string; password: string }) {
  const asked = { method: 'POST', body: new URLSearchParams(account), redirect: 'manual' } as const
  const entered = await fetch(`${origin}/admin/sign-in`, { ...asked, headers: { Origin: origin } })
  const cookie = entered.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const page = await (await fetch(`${origin}/admin/audit`, { headers: { Cookie: cookie } })).text()
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1]
  if (cookie === '' || csrf === undefined) throw new Error('nobody could sign in')
  return { cookie, csrf }
}
