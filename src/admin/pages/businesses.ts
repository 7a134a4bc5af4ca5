import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { type BusinessFilter, type ListedBusiness, listBusinesses } from '../../businesses/list-businesses.ts'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { readName } from '../../input/name.ts'
import { filledIn } from './filled-in.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { businessPath } from './paths.ts'
import { userText } from './words.ts'

/** The maximum length of the part of a name that staff enter. No name is longer. */
const maxPartLength = 200

const pageSize = 50

/** The states by which staff can filter the list. */
const states = {
  live: { label: 'approved for live mode', where: { liveApproved: true } },
  'test-only': { label: 'not approved for live mode', where: { liveApproved: false } },
  suspended: { label: 'suspended', where: { suspended: true } },
  disabled: { label: 'developer API disabled', where: { apiEnabled: false } },
} as const satisfies Record<string, { label: string; where: BusinessFilter }>
type State = keyof typeof states

interface Filter {
  name: string
  state: State | ''
  after: string
}

/** Handles GET requests for the list of businesses. */
export const businessesPage = (deps: Deps) => async (req: Request, res: Response) => {
  const filter = readFilter(req)
  const { name, state, after } = filter
  const where = { ...(state === '' ? {} : states[state].where), ...(name === '' ? {} : { name }) }
  const slice = { limit: pageSize, after: after === '' ? null : after }
  const { items, next } = await listBusinesses(deps, where, slice)
  const body = html`<h1>Businesses</h1>
    !${form(filter)}
    !${items.length === 0 ? html`<p class="notice" role="status">No business matches this filter.</p>` : table(items)}
    <p class="pages">
      !${after === '' ? '' : html`<a href="${listPath({ ...filter, after: '' })}">First page</a>`}
      !${next === null ? '' : html`<a rel="next" href="${listPath({ ...filter, after: next })}">Next page</a>`}
    </p>`
  const path = '/admin/businesses'
  sendPage(res, 200, page({ title: 'Businesses', staff: staffOf(res), current: path }, body))
}

/** Reads the query. A parameter that is missing, repeated or unknown does not restrict the list. */
function readFilter({ query }: Request): Filter {
  const text = (name: string): string => {
    const value = query[name]
    return typeof value === 'string' ? (readName('name', value) ?? '').slice(0, maxPartLength) : ''
  }
  const state = text('state')
  const isState = (value: string): value is State => Object.hasOwn(states, value)
  return { name: text('name'), state: isState(state) ? state : '', after: text('after') }
}

const listPath = (filter: Filter): string =>
  `/admin/businesses?${new URLSearchParams(filledIn(filter) as Record<string, string>).toString()}`

const form = ({ name, state }: Filter): string =>
  html`<form class="filter card" action="/admin/businesses">
    <div><label for="name">Part of the name</label><input id="name" name="name" type="search" value="${name}" maxlength="${String(maxPartLength)}" autocomplete="off" /></div>
    <div>
      <label for="state">State</label>
      <select id="state" name="state">
        <option value="">any</option>
        !${Object.entries(states).map(([value, { label }]) => html`<option value="${value}" !${value === state ? 'selected' : ''}>${label}</option>`)}
      </select>
    </div>
    <div class="act"><button>Filter</button> <a class="button" href="/admin/businesses">Clear</a></div>
  </form>`

const table = (businesses: readonly ListedBusiness[]): string =>
  html`<div class="scroll">
    <table class="cards tight">
      <thead><tr><th>Business</th><th>State</th><th class="number">Active keys</th><th>Last used (UTC day)</th><th>Created</th><th>Id</th></tr></thead>
      <tbody>!${businesses.map(row)}</tbody>
    </table>
  </div>`

const row = (business: ListedBusiness): string =>
  html`<tr>
    <td data-label="Business" class="wide"><a href="${businessPath(business.id)}">!${userText(business.name)}</a></td>
    <td data-label="State">!${businessBadges(business)}</td>
    <td data-label="Active keys" class="number">${business.keys.active}</td>
    <td data-label="Last used (UTC day)">${business.lastUsedDay ?? 'never'}</td>
    <td data-label="Created">!${time(business.createdAt)}</td>
    <td data-label="Id" class="id">${business.id}</td>
  </tr>`

type States = Pick<Business, 'suspended' | 'apiEnabled' | 'liveApproved'>

/** Returns badges that show what a business may do. */
export const businessBadges = ({ suspended, apiEnabled, liveApproved }: States): string =>
  [
    suspended ? html`<span class="badge bad">suspended</span>` : '',
    apiEnabled ? '' : html`<span class="badge wait">developer API disabled</span>`,
    liveApproved ? html`<span class="badge live">live</span>` : html`<span class="badge faint">test only</span>`,
  ]
    .filter((badge) => badge !== '')
    .join(' ')
