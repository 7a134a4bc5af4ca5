import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { type BusinessState, businessStates, listBusinesses } from '../../businesses/list.ts'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import { filledIn } from './filled-in.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { businessPath } from './paths.ts'
import { userText } from './words.ts'

/** The maximum length of a part of a name. No name is longer. */
const maxPartLength = 200

const stateLabels: Record<BusinessState, string> = {
  live: 'approved for live mode',
  'test-only': 'not approved for live mode',
  suspended: 'suspended',
  disabled: 'developer API disabled',
}

interface Filter {
  name: string
  state: BusinessState | ''
  after: string
}

/** Handles GET requests for the list of businesses. */
export const businessesPage = (deps: Deps) => async (req: Request, res: Response) => {
  const filter = readFilter(req)
  const { name: part, state, after } = filter
  const { businesses, next } = await listBusinesses(deps, {
    part,
    state: state === '' ? null : state,
    after: after === '' ? null : after,
  })
  const body = html`<h1>Businesses</h1>
    !${form(filter)}
    !${businesses.length === 0 ? html`<p class="notice" role="status">No business matches this filter.</p>` : table(businesses)}
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
    return typeof value === 'string' && !value.includes('\0')
      ? value.trim().toWellFormed().slice(0, maxPartLength)
      : ''
  }
  const state = text('state')
  const isState = (value: string): value is BusinessState => Object.hasOwn(businessStates, value)
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
        !${Object.entries(stateLabels).map(([value, label]) => html`<option value="${value}" !${value === state ? 'selected' : ''}>${label}</option>`)}
      </select>
    </div>
    <div class="act"><button>Filter</button> <a class="button" href="/admin/businesses">Clear</a></div>
  </form>`

const table = (businesses: readonly Business[]): string =>
  html`<div class="scroll">
    <table class="cards tight">
      <thead><tr><th>Business</th><th>State</th><th>Created</th><th>Id</th></tr></thead>
      <tbody>!${businesses.map(row)}</tbody>
    </table>
  </div>`

const row = (business: Business): string =>
  html`<tr>
    <td data-label="Business"><a href="${businessPath(business._id)}">!${userText(business.name)}</a></td>
    <td data-label="State">!${businessBadges(business)}</td>
    <td data-label="Created">!${time(business.createdAt)}</td>
    <td data-label="Id" class="id">${business._id}</td>
  </tr>`

/** Returns badges that show what a business may do. */
export const businessBadges = ({ suspended, apiEnabled, liveApproved }: Business): string =>
  [
    suspended ? html`<span class="badge bad">suspended</span>` : '',
    apiEnabled ? '' : html`<span class="badge wait">developer API disabled</span>`,
    liveApproved
      ? html`<span class="badge live">live</span>`
      : html`<span class="badge faint">test only</span>`,
  ]
    .filter((badge) => badge !== '')
    .join(' ')
