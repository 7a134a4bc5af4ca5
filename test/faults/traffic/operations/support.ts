import type { Call, What } from '../../evidence/evidence.ts'
import { hiddenFields, isPage, unescaped } from '../page.ts'
import type { Scene } from '../scene.ts'
import { isGood, type Wish } from '../wish.ts'
import type { Employee } from '../world.ts'

/** Support re-queues one dead delivery, from its page. */
export async function requeue(scene: Scene): Promise<void> {
  const { place, chance } = scene
  if (place.deliveries.length === 0) await requeueAll(scene)
  else await press(scene, `/admin/deliveries/${chance.pick(place.deliveries)}`, 'requeue', 'requeue')
}

/** Support re-queues all dead deliveries of an endpoint. */
export const requeueAll = (scene: Scene): Promise<void> =>
  press(scene, '/admin/dead', 'requeue.all', 'requeue-all')

/** A viewer sends a form made by hand. */
export async function overreach(scene: Scene): Promise<void> {
  const { place, world, chance } = scene
  const viewer = world.staff.find(({ role }) => role === 'viewer')
  if (viewer === undefined || place.deliveries.length === 0) return
  const page = await open(scene, viewer, '/admin/audit')
  if (page === null) return
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  await asStaff(scene, viewer, 'overreach', `/admin/deliveries/${chance.pick(place.deliveries)}/requeue`, {
    csrf,
  })
}

/** Opens a page and presses a button, once: nobody presses again without knowing the outcome. */
async function press(scene: Scene, path: string, what: What, act: string): Promise<void> {
  const employee = scene.chance.pick(scene.world.staff.filter(({ role }) => role === 'support'))
  const page = await open(scene, employee, path)
  const forms = [...(page ?? '').matchAll(/<form method="post" action="([^"]+)">(.*?)<\/form>/gs)]
  const fitting = forms.filter(([, action = '']) => action.endsWith(act))
  if (fitting.length === 0) return
  const [, action = '', inner = ''] = scene.chance.pick(fitting)
  await asStaff(scene, employee, what, unescaped(action), hiddenFields(inner))
}

/** The HTML of a page, after a sign-in if one is needed; null if there is none. */
async function open(scene: Scene, employee: Employee, path: string): Promise<string | null> {
  const look = () => asStaff(scene, employee, 'support.page', path, null)
  const first = employee.cookie === '' ? null : await look()
  if (first !== null && isGood(first)) return htmlOf(first)
  if (first !== null && first.status !== 303) return null
  const { name, password } = employee
  const form = { name, password, to: '/admin' }
  const entry = await asStaff(scene, employee, 'support.sign-in', '/admin/sign-in', form)
  const cookie = entry.headers['set-cookie']?.split(';')[0]
  if (entry.status !== 303 || cookie === undefined) return null
  employee.cookie = cookie
  const second = await look()
  return isGood(second) ? htmlOf(second) : null
}

const htmlOf = ({ response }: Call): string => (isPage(response) ? response.text : '')

function asStaff(
  { operation, chance, ask }: Scene,
  { cookie }: Employee,
  what: What,
  path: string,
  form: Record<string, string> | null,
): Promise<Call> {
  const none = { key: null, idempotencyKey: null, otherBody: null, expects: [] }
  const method = form === null ? 'GET' : 'POST'
  // As a browser sends a form of the same site.
  const headers = { 'Sec-Fetch-Site': 'same-origin', ...(cookie !== '' && { Cookie: cookie }) }
  const wish: Wish = {
    ...none,
    operation,
    actor: 'support',
    what,
    method,
    path,
    body: form && { form },
    headers,
  }
  return ask(wish, 1, chance)
}
