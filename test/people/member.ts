import { TOTP } from 'otpauth'
import { addSecondFactor, proposeFactor } from '../../src/accounts/second-factor.ts'
import { byAccount, findSession } from '../../src/accounts/sessions.ts'
import { signIn } from '../../src/accounts/sign-in.ts'
import { createSignInChecks } from '../../src/accounts/sign-in-limit.ts'
import { invitePerson, joinWithPassword } from '../../src/people/invite.ts'
import type { PersonRole } from '../../src/people/names.ts'
import { personSignInLimits, withPeopleAccounts } from '../../src/people/person.ts'
import { operator, type Visitor, visit } from '../admin/staff.ts'
import type { Service } from '../support/service.ts'

export const password = 'gorgol tidjikja 84 brakna'
const client = { ip: '198.51.100.1', userAgent: 'test' }

export const accountsOf = ({ deps }: Pick<Service, 'deps'>) =>
  Object.assign(withPeopleAccounts(deps), createSignInChecks(deps, personSignInLimits))

export const tokenOf = (link: string): string => link.split('/').at(-1) ?? ''

type WithDeps = Pick<Service, 'deps'>

export const joinBy = (service: WithDeps, link: string) =>
  joinWithPassword(accountsOf(service), { token: tokenOf(link), password, ip: client.ip })

let names = 0
export const newName = (): string => `person-${(names += 1)}@example.com`

export async function addPerson(service: WithDeps, businessId: string, role: PersonRole, name = newName()) {
  const { link } = await invitePerson(service.deps, { businessId, role, name }, operator)
  const joined = await joinBy(service, link)
  if (joined.outcome !== 'joined') throw new Error(joined.outcome)
  return joined.person._id
}

export async function openPersonSession(service: WithDeps, name: string) {
  const deps = accountsOf(service)
  const result = await signIn(deps, { name, password, client })
  if (result.outcome !== 'signed-in') throw new Error(result.outcome)
  const found = await findSession(deps, result.token)
  if (found === null) throw new Error('the session has ended')
  return { ...found, token: result.token }
}

/** The returned session stays open. */
export async function addPersonFactor(service: WithDeps, name: string) {
  const deps = accountsOf(service)
  const session = await openPersonSession(service, name)
  const { secret } = proposeFactor(deps, session)
  const code = new TOTP({ secret }).generate({ timestamp: deps.now().getTime() })
  const input = { secret, code, current: '', ip: client.ip }
  const result = await addSecondFactor(deps, session, input, byAccount(deps, session.id, client.ip))
  if (result.outcome !== 'done') throw new Error(result.outcome)
  return { ...session, codes: result.codes }
}

/** A browser that isn't signed in yet. */
export const visitAsPerson = (service: { origin: string }): Visitor => visit(service, '', '/portal/account')

export interface PersonVisitor extends Visitor {
  id: string
  name: string
  businessId: string
}

/** A person with a role in the business, signed in. */
export async function enter(service: Service, businessId: string, role: PersonRole): Promise<PersonVisitor> {
  const name = newName()
  const id = await addPerson(service, businessId, role, name)
  const visitor = visitAsPerson(service)
  const { status, text } = await visitor.post('/portal/sign-in', { name, password })
  if (status !== 303) throw new Error(text)
  return Object.assign(visitor, { id, name, businessId })
}
