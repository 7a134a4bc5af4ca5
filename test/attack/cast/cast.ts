import { randomBytes, randomInt } from 'node:crypto'
import { type PersonRole, personRoles } from '../../../src/people/names.ts'
import type { Deps } from '../../../src/platform/deps.ts'
import { createAccount } from '../../../src/staff/change-account.ts'
import type { StaffRole } from '../../../src/staff/permissions.ts'
import { createBusinessShop } from '../../../src/store/shops/shops.ts'
import { createWallet } from '../../../src/wallets/sandbox/operate.ts'
import { addPerson, addPersonFactor, openPersonSession, password } from '../../people/member.ts'
import type { Provider } from '../../support/provider.ts'
import { tester } from '../../support/service.ts'
import type { Stage } from '../stage/stage.ts'
import { type Actor, makeActors } from './actors.ts'
import { createPools } from './pools.ts'

export type Cast = Awaited<ReturnType<typeof assembleCast>>

/** Actors with full rights appear several times, so that most requests are allowed. */
const weights: Record<string, number> = { 'test secret': 12, 'live secret': 4 }

export async function assembleCast({ deps, origin, provider, endpointServers }: Stage) {
  const [secrets, pools] = [createMadeSecrets(), createPools()]
  const { actors, businessIds, hunterKey } = await makeActors(deps, secrets)
  const staff = await createStaff(deps, origin, secrets)
  const payers = await makePayers(deps, provider, secrets)
  for (const [owner, businessId] of businessIds.entries()) {
    for (const mode of ['test', 'live'] as const) pools.add(owner, mode, 'business', businessId)
    await createBusinessShop(deps, { businessId, name: `Mk${owner}e` }, tester)
  }
  const { trapPort, allowedPort } = endpointServers
  return {
    actors: actors.flatMap((actor) => Array<Actor>(weights[actor.kind] ?? 1).fill(actor)),
    businessIds,
    hunterKey,
    staff,
    people: await createPeople(deps, businessIds, secrets),
    secrets,
    pools,
    known: { pools, payers, owners: businessIds.length, trapPort, allowedPort },
  }
}

export type Payer = Awaited<ReturnType<typeof makePayers>>[number]
const plenty = 1_000_000_000_000_000

/** Creates payers in both environments. PINs are random, so that no other number in a log equals one. */
async function makePayers(deps: Deps, { wallets }: Provider, secrets: MadeSecrets) {
  const digits = () => String(randomInt(100_000, 999_999))
  const payers = Array.from({ length: 4 }, () => ({ phone: `36${digits()}`, pin: digits() }))
  for (const { phone, pin } of payers) {
    await createWallet(deps, { phone, pin, balance: plenty }, tester)
    wallets.set(phone, { pin, balance: plenty })
    secrets.add('phone', phone)
    secrets.add('PIN', pin)
  }
  return payers
}

export type MadeSecrets = ReturnType<typeof createMadeSecrets>
const word = /[\w+.-]{4,}/g

export function createMadeSecrets() {
  const kinds = new Map<string, string>()
  return {
    add: (kind: string, text: string) => void kinds.set(text, kind),
    foundIn: (text: string): string[] =>
      (text.match(word) ?? []).flatMap((each) => {
        const kind = kinds.get(each) ?? kinds.get(each.replace(/^\+|\.$/g, ''))
        return kind === undefined ? [] : [`${kind} ${each}`]
      }),
  }
}

type Account = Record<'name' | 'password' | 'csrf', string>
export type Staff = Account & {
  role: StaffRole | PersonRole | 'forged' | 'absent'
  cookie: string | null
  /** The business of a person. */
  owner?: number
  businessId?: string
}

export async function createStaff(deps: Deps, origin: string, secrets: MadeSecrets): Promise<Staff[]> {
  const staff: Staff[] = []
  for (const role of ['viewer', 'support'] as const) {
    const input = { name: `${role}-${randomBytes(3).toString('hex')}`, role }
    const account = await createAccount(deps, input, tester)
    if (account === null) throw new Error('the name is taken')
    secrets.add('password', account.password)
    staff.push({ role, ...account, ...(await signIn(origin, account)) })
  }
  return withStrangers(staff, '__Host-staff', secrets)
}

function withStrangers(accounts: Staff[], cookieName: string, secrets: MadeSecrets): Staff[] {
  const forged = randomBytes(24).toString('base64url')
  const stranger = { role: 'forged', name: 'forged', password: 'forged-password' } as const
  const all: Staff[] = [...accounts, { ...stranger, cookie: `${cookieName}=${forged}`, csrf: forged }]
  for (const { cookie, csrf } of all) {
    secrets.add('session', cookie?.split('=')[1] ?? '')
    secrets.add('form token', csrf)
  }
  return [...all, { ...stranger, role: 'absent', cookie: null, csrf: 'none' }]
}

/** Of two businesses. Their owners have a second factor, because both are approved. */
async function createPeople(deps: Deps, businessIds: readonly string[], secrets: MadeSecrets) {
  const people: Staff[] = []
  for (const [owner, businessId] of businessIds.slice(0, 2).entries())
    for (const role of personRoles) {
      const name = `mk${owner}e-${role}@shop.example`
      await addPerson({ deps }, businessId, role, name)
      const open = role === 'owner' ? addPersonFactor : openPersonSession
      const { token, csrf } = await open({ deps }, name)
      people.push({ role, name, password, cookie: `__Host-person=${token}`, csrf, owner, businessId })
    }
  return withStrangers(people, '__Host-person', secrets)
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
