import { newId } from '../../../../src/platform/ids.ts'
import { hiddenFields } from '../../../admin/staff.ts'
import { pageOf } from '../../checker/responses.ts'
import type { Call } from '../../evidence/evidence.ts'
import type { RequestSpec } from '../client.ts'
import type { Context, Person } from '../context.ts'

/** Takes a payment at the till. Sent again with another amount, a form makes a payment in place of the first. */
async function takePayment(context: Context): Promise<void> {
  const { chance, world } = context
  const { business, marker } = chance.pick(
    world.tenants.filter(({ business: { person } }) => person !== null),
  )
  const { person } = business
  if (person === null || !(await enter(context, person))) return
  const path = `/till/${business.id}/test`
  const shown = await context.makeCall(
    specOf(context, person, 'till.page', `${path}?form=${newId()}`),
    1,
    chance,
  )
  if (shown.status === 303) person.cookie = ''
  const fields = hiddenFields(pageOf(shown)?.text ?? '')
  if (shown.status !== 200 || fields.form === undefined) return
  const body = () => ({ form: { ...fields, amount: String(chance.whole(1, 500)), label: marker } })
  const spec = {
    ...specOf(context, person, 'till', path),
    method: 'POST',
    body: body(),
    otherBody: body(),
  } as const
  await context.send(spec, chance)
}

const specOf = (
  { operation }: Context,
  { cookie }: Person,
  what: Call['what'],
  path: string,
): RequestSpec => ({
  operation,
  actor: 'cashier',
  what,
  path,
  method: 'GET',
  headers: {
    'Sec-Fetch-Site': 'same-origin',
    'Accept-Language': 'en',
    ...(cookie !== '' && { Cookie: cookie }),
  },
})

/** Accepts the invitation once. If that response was lost, the person has a password and signs in. */
async function enter(context: Context, person: Person): Promise<boolean> {
  const { chance, makeCall } = context
  if (person.cookie !== '') return true
  const { token, name, password } = person
  const post = (path: string, form: Record<string, string>) =>
    makeCall({ ...specOf(context, person, 'till.sign-in', path), method: 'POST', body: { form } }, 1, chance)
  const joined = await post('/portal/invitation', { token, password, again: password })
  const entry = cookieIn(joined) ?? cookieIn(await post('/portal/sign-in', { name, password }))
  person.cookie = entry ?? ''
  return entry !== null
}

const cookieIn = ({ headers }: Call): string | null =>
  /__Host-person=[\w-]{20,}/.exec(headers['set-cookie'] ?? '')?.[0] ?? null

export const ofTill = { takePayment: [8, takePayment] } as const
