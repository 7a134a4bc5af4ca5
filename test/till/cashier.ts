import { formFor } from '../../dev/form.ts'
import { createBusiness } from '../../src/businesses/change-business.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { hiddenFields, operator, type Page, readable } from '../admin/staff.ts'
import { addPerson, enter, type PersonVisitor, password } from '../people/member.ts'
import { storedIntent } from '../support/pay.ts'
import type { Service } from '../support/service.ts'

/** Only an owner may invite others, so each business has one. */
export async function newBusiness(service: Service, liveApproved = false): Promise<string> {
  const { _id } = await createBusiness(service.deps, { name: 'Épicerie', liveApproved }, operator)
  await addPerson(service, _id, 'owner')
  return _id
}

export type Cashier = ReturnType<typeof atTill>

/** What a person at a till does, without scripts. `taps` counts what they have to tap. */
export function atTill(service: Service, visitor: PersonVisitor, mode: 'test' | 'live' = 'test') {
  const base = `/till/${visitor.businessId}/${mode}`
  const cashier = {
    visitor,
    base,
    taps: 0,
    /** The form has an address of its own. */
    async formPage(path = base): Promise<Page> {
      const { location } = await visitor.get(path)
      return location === null ? visitor.get(path) : visitor.get(location)
    },
    async openForm(path = base): Promise<Record<string, string>> {
      cashier.taps += 1
      return formFor('amount', (await cashier.formPage(path)).text, service.origin + base).fields
    },
    /** Returns the path to which the service redirects. */
    async send(fields: Record<string, string>, changes: Record<string, string>): Promise<string> {
      cashier.taps += 1
      const { status, location, text } = await visitor.post(base, { ...fields, ...changes })
      if (status !== 303 || location === null) throw new Error(`${status}: ${readable(text)}`)
      return location
    },
    /** Opens a form and sends it. */
    async make(amount: string, label = ''): Promise<{ path: string; intent: Intent }> {
      const path = await cashier.send(await cashier.openForm(), { amount, label })
      return { path, intent: await cashier.intentAt(path) }
    },
    intentAt: (path: string): Promise<Intent> => storedIntent(service, referenceIn(path)),
    async statusAt(path: string): Promise<string> {
      return (await cashier.intentAt(path)).status
    },
    state: async (path: string) => JSON.parse((await visitor.get(`${path}/state`)).text),
    /** Sessions end overnight. */
    async signInAgain(): Promise<void> {
      const { status, text } = await visitor.post('/portal/sign-in', { name: visitor.name, password })
      if (status !== 303) throw new Error(text)
    },
    /** Submits the page's button that cancels. */
    cancel: async (path: string) =>
      visitor.post(`${path}/cancel`, { csrf: hiddenFields((await cashier.formPage()).text)['csrf'] ?? '' }),
  }
  return cashier
}

export const referenceIn = (path: string): string => /PI-\w+/.exec(path)?.[0] ?? ''

export const openTill = async (service: Service, businessId: string, mode: 'test' | 'live' = 'test') =>
  atTill(service, await enter(service, businessId, 'cashier'), mode)
