import { randomBytes } from 'node:crypto'
import type { Deps } from '../../../src/platform/deps.ts'
import { createAccount } from '../../../src/staff/change-account.ts'
import type { Role } from '../../../src/staff/permissions.ts'
import type { MadeSecrets } from './secrets.ts'

export interface Staff {
  role: Role | 'forged' | 'absent'
  name: string
  password: string
  /** `__Host-staff=…`, or null for none. */
  cookie: string | null
  csrf: string
}

/** One account per role, plus a forged session and a sender without one. */
export async function createStaff(deps: Deps, origin: string, secrets: MadeSecrets): Promise<Staff[]> {
  const staff: Staff[] = []
  for (const role of ['viewer', 'support'] as const) {
    const input = { name: `${role}-${randomBytes(3).toString('hex')}`, role }
    const account = await createAccount(deps, input, {
      actor: { kind: 'operator', name: 'attack', from: null },
      reason: null,
    })
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
  const init = { method: 'POST', body: new URLSearchParams(account), redirect: 'manual' } as const
  const signedIn = await fetch(`${origin}/admin/sign-in`, { ...init, headers: { Origin: origin } })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const page = await (await fetch(`${origin}/admin/audit`, { headers: { Cookie: cookie } })).text()
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1]
  if (cookie === '' || csrf === undefined) throw new Error(`${account.name} could not sign in`)
  return { cookie, csrf }
}
