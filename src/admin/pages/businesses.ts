import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { type BusinessFilter, type ListedBusiness, listBusinesses } from '../../businesses/list-businesses.ts'
import type { Deps } from '../../deps.ts'
import { readName } from '../../input/name.ts'
import { badge } from './badges.ts'
import { lastUse } from './keys-table.ts'
import { time } from './layout.ts'
import { businessLink } from './paths.ts'
import { textIn, withQuery } from './query.ts'
import { sendStaffPage } from './respond.ts'
import { type Column, pageLinks, table } from './table.ts'

/** The maximum length of the part of a name that staff enter. No name is longer. */
const maxPartLength = 200

const pageSize = 50

const path = '/admin/businesses'

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
    !${items.length === 0 ? html`<p class="notice" role="status">No business matches this filter.</p>` : table(columns, items, { isTight: true })}
    !${pageLinks((id) => withQuery(path, { ...filter, after: id }), after === '', next)}`
  sendStaffPage(res, { title: 'Businesses', current: path }, body)
}

/** Reads the query. A parameter that is missing, repeated or unknown does not restrict the list. */
function readFilter({ query }: Request): Filter {
  const text = (name: string) => (readName('name', textIn(query, name)) ?? '').slice(0, maxPartLength)
  const state = text('state')
  const isState = (value: string): value is State => Object.hasOwn(states, value)
  return { name: text('name'), state: isState(state) ? state : '', after: text('after') }
}

const form = ({ name, state }: Filter): string =>
  html`<form class="filter card" action="${path}">
    <div><label for="name">Part of the name</label><input id="name" name="name" type="search" value="${name}" maxlength="${String(maxPartLength)}" autocomplete="off" /></div>
    <div>
      <label for="state">State</label>
      <select id="state" name="state">
        <option value="">any</option>
        !${Object.entries(states).map(([value, { label }]) => html`<option value="${value}" !${value === state ? 'selected' : ''}>${label}</option>`)}
      </select>
    </div>
    <div class="act"><button>Filter</button> <a class="button" href="${path}">Clear</a></div>
  </form>`

const columns: Column<ListedBusiness>[] = [
  { title: 'Business', classes: 'wide', html: ({ id, name }) => businessLink(id, name) },
  { title: 'State', html: (business) => businessBadges(business) },
  { title: 'Active keys', classes: 'number', text: ({ keys }) => keys.active },
  { title: 'Last used (UTC day)', text: lastUse },
  { title: 'Created', html: ({ createdAt }) => time(createdAt) },
  { title: 'Id', classes: 'id', text: ({ id }) => id },
]

type States = Pick<Business, 'suspended' | 'apiEnabled' | 'liveApproved'>

/** Returns badges that show what a business may do. */
export const businessBadges = ({ suspended, apiEnabled, liveApproved }: States): string =>
  [
    suspended ? badge('bad', 'suspended') : '',
    apiEnabled ? '' : badge('wait', 'developer API disabled'),
    liveApproved ? badge('live', 'live') : badge('faint', 'test only'),
  ]
    .filter((each) => each !== '')
    .join(' ')
