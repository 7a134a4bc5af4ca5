import type { Call, What } from '../../evidence/evidence.ts'
import { hiddenFields, isPage, unescaped } from '../page.ts'
import type { Scene } from '../scene.ts'
import { isGood, type Wish } from '../wish.ts'
import type { Employee } from '../world.ts'

/** Support sends one dead delivery again, from its page. */
export async function requeue(scene: Scene): Promise<void> {
  const { place, chance } = scene
  if (place.deliveries.length === 0) await requeueAll(scene)
  else await press(scene, `/admin/deliveries/${chance.pick(place.deliveries)}`, 'requeue', 'requeue')
}

/** Support sends all of a receiver's again, from the list of what is dead. */
export const requeueAll = (scene: Scene): Promise<void> =>
  press(scene, '/admin/dead', 'requeue.all', 'requeue-all')

/** A viewer tries it with a form made by hand. */
export async function overreach(scene: Scene): Promise<void> {
  const { place, world, chance } = scene
  const viewer = world.staff.find(({ role }) => role === 'viewer')
  if (viewer === undefined || place.deliveries.length === 0) return
  const page = await open(scene, viewer, '/admin/audit')
  if (page === null) return
  const path = `/admin/deliveries/${chance.pick(place.deliveries)}/requeue`
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  await asStaff(scene, viewer, { what: 'overreach', path, form: { csrf } })
}

/** Opens a page and presses one of its buttons that leads to such an act. Once: nobody presses again who does not know what became of it. */
async function press(scene: Scene, path: string, what: What, act: string): Promise<void> {
  const employee = scene.chance.pick(scene.world.staff.filter(({ role }) => role === 'support'))
  const page = await open(scene, employee, path)
  const forms = [...(page ?? '').matchAll(/<form method="post" action="([^"]+)">(.*?)<\/form>/gs)]
  const fitting = forms.filter(([, action = '']) => action.endsWith(act))
  if (fitting.length === 0) return
  const [, action = '', inner = ''] = scene.chance.pick(fitting)
  await asStaff(scene, employee, { what, path: unescaped(action), form: hiddenFields(inner) })
}

/** The page's HTML, after a sign-in where one is needed; null where it was not to be had. */
async function open(scene: Scene, employee: Employee, path: string): Promise<string | null> {
  const look = () => asStaff(scene, employee, { what: 'support.page', path, form: null })
  const first = employee.cookie === '' ? null : await look()
  if (first !== null && isGood(first)) return htmlOf(first)
  if (first !== null && first.status !== 303) return null
  const { name, password } = employee
  const entry = await asStaff(scene, employee, {
    what: 'support.sign-in',
    path: '/admin/sign-in',
    form: { name, password, to: '/admin' },
  })
  const set = entry.headers['set-cookie']?.split(';')[0]
  if (entry.status !== 303 || set === undefined) return null
  employee.cookie = set
  const second = await look()
  return isGood(second) ? htmlOf(second) : null
}

const htmlOf = ({ response }: Call): string => (isPage(response) ? response.text : '')

interface Visit {
  what: What
  path: string
  /** Null to look at a page. */
  form: { [name: string]: string } | null
}

function asStaff(
  { operation, chance, ask }: Scene,
  { cookie }: Employee,
  { what, path, form }: Visit,
): Promise<Call> {
  const wish: Wish = {
    operation,
    actor: 'support',
    what,
    key: null,
    method: form === null ? 'GET' : 'POST',
    path,
    idempotencyKey: null,
    body: form === null ? null : { form },
    otherBody: null,
    expects: [],
    // As a browser says of a form of this site, whichever process serves it.
    headers: { 'Sec-Fetch-Site': 'same-origin', ...(cookie !== '' && { Cookie: cookie }) },
  }
  return ask(wish, 1, chance)
}
