import { hiddenFields, unescaped } from '../../../admin/staff.ts'
import { pageOf } from '../../checker/responses.ts'
import type { Call, What } from '../../evidence/evidence.ts'
import { isGood } from '../client.ts'
import type { Context, Employee } from '../context.ts'

async function requeue(context: Context): Promise<void> {
  const { tenant, chance } = context
  if (tenant.deliveries.length === 0) await requeueAll(context)
  else await press(context, `/admin/deliveries/${chance.pick(tenant.deliveries)}`, 'requeue', 'requeue')
}

async function requeueAll(context: Context): Promise<void> {
  const employee = context.chance.pick(context.world.staff.filter(({ role }) => role === 'support'))
  const page = await open(context, employee, '/admin/dead')
  const links = [...(page ?? '').matchAll(/href="([^"]+\/requeue-all[^"]*)"/g)]
  if (links.length === 0) return
  const [, link = ''] = context.chance.pick(links)
  await press(context, unescaped(link), 'requeue.all', 'requeue-all')
}

async function overreach(context: Context): Promise<void> {
  const { tenant, world, chance } = context
  const viewer = world.staff.find(({ role }) => role === 'viewer')
  if (viewer === undefined || tenant.deliveries.length === 0) return
  const page = await open(context, viewer, '/admin/audit')
  if (page === null) return
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const path = `/admin/deliveries/${chance.pick(tenant.deliveries)}/requeue`
  await asStaff(context, viewer, 'overreach', path, { csrf })
}

/** Opens a page and presses a button once. Staff don't press again while the outcome is unknown. */
async function press(context: Context, path: string, what: What, act: string): Promise<void> {
  const employee = context.chance.pick(context.world.staff.filter(({ role }) => role === 'support'))
  const page = await open(context, employee, path)
  const forms = [...(page ?? '').matchAll(/<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs)]
  const fitting = forms.filter(([, action = '']) => action.endsWith(act))
  if (fitting.length === 0) return
  const [, action = '', inner = ''] = context.chance.pick(fitting)
  await asStaff(context, employee, what, unescaped(action), hiddenFields(inner))
}

async function open(context: Context, employee: Employee, path: string): Promise<string | null> {
  const look = () => asStaff(context, employee, 'support.page', path)
  const first = employee.cookie === '' ? null : await look()
  if (first !== null && isGood(first)) return pageOf(first)?.text ?? ''
  if (first !== null && first.status !== 303) return null
  const { name, password } = employee
  const form = { name, password, to: '/admin' }
  const entry = await asStaff(context, employee, 'support.sign-in', '/admin/sign-in', form)
  const cookie = entry.headers['set-cookie']?.split(';')[0]
  if (entry.status !== 303 || cookie === undefined) return null
  employee.cookie = cookie
  const second = await look()
  return isGood(second) ? (pageOf(second)?.text ?? '') : null
}

function asStaff(
  { operation, chance, makeCall }: Context,
  { cookie }: Employee,
  what: What,
  path: string,
  form?: Record<string, string>,
): Promise<Call> {
  const headers = { 'Sec-Fetch-Site': 'same-origin', ...(cookie !== '' && { Cookie: cookie }) }
  const sent = form === undefined ? { method: 'GET' as const } : { method: 'POST' as const, body: { form } }
  return makeCall({ operation, actor: 'support', what, path, headers, ...sent }, 1, chance)
}

export const ofSupport = {
  requeue: [8, requeue],
  requeueAll: [3, requeueAll],
  overreach: [4, overreach],
} as const
