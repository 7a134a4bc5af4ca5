import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../businesses/business.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import { isolateText } from '../http/pages/text.ts'
import type { PersonRole } from '../people/names.ts'
import type { Person } from '../people/person.ts'
import { rights } from '../people/rights.ts'
import type { Deps } from '../platform/deps.ts'
import { sendPersonPage } from './frame.ts'
import { frameLocaleOf } from './locale.ts'
import { type Area, signedInPerson } from './visit.ts'

const maySee = (path: string, role: PersonRole) =>
  path !== '/till' ? role !== 'cashier' : (rights['use-till'].roles as readonly PersonRole[]).includes(role)

/** With only one choice, there's no page to choose on. */
export const sendStart =
  (deps: Pick<Deps, 'Business'>, area: Pick<Area, 'path'>) =>
  async (_req: Request, res: Response): Promise<void> => {
    const { words } = frameLocaleOf(res)
    const { roles } = (signedInPerson(res)?.account ?? { roles: [] }) as Pick<Person, 'roles'>
    const found = await deps.Business.find({ _id: { $in: roles.map(({ businessId }) => businessId) } })
      .select({ name: 1, liveApproved: 1 })
      .sort({ name: 1 })
      .lean<Pick<Business, '_id' | 'name' | 'liveApproved'>[]>()
    const roleOf = new Map(roles.map(({ businessId, role }) => [businessId, role]))
    const choices = found.flatMap(({ _id: id, name, liveApproved }) => {
      const role = roleOf.get(id) ?? 'cashier'
      const paths = ['/till', '/portal'].filter((path) => maySee(path, role))
      const below = `${id}/${liveApproved ? 'live' : 'test'}`
      return paths.map((path) => ({ path, name, role, to: `${path}/${below}` }))
    })
    const here = choices.filter(({ path }) => path === area.path)
    const [only = choices[0]] = here
    if (only !== undefined && (here.length === 1 || choices.length === 1)) return sendRedirect(res, only.to)
    const links = choices.map(
      ({ path, name, role, to }) =>
        html`<li><a href="${to}">!${isolateText(name)}</a> · ${path === '/till' ? words.till : words.portal} · ${words.roles[role]}</li>`,
    )
    const body = html`<h1>${words.choose}</h1>
!${links.length === 0 ? html`<p>${words.noRole}</p>` : html`<ul class="card choices">!${links}</ul>`}`
    sendPersonPage(res, { title: words.choose, body, isNarrow: true })
  }
