import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Business } from '../../businesses/business.ts'
import { lookUpBusinesses } from '../../businesses/look-up.ts'
import type { Deps } from '../../deps.ts'
import { sendPage } from '../../http/pages/send-page.ts'
import type { Span } from '../../input/span.ts'
import type { SignedIn } from '../../staff/find-session.ts'
import { mayStaff } from '../../staff/permissions.ts'
import { type DeadGroup, type DeadGroups, groupDead, type Period } from '../../webhooks/deliveries/dead-groups.ts'
import { shownDeadMs } from '../../webhooks/deliveries/dead-in.ts'
import { lookUpEndpoints, type TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { readFormSpan } from './form-span.ts'
import { staffOf } from './guards.ts'
import { page, time } from './layout.ts'
import { businessPath, endpointPath } from './paths.ts'
import { requeueAllLink } from './requeue-buttons.ts'
import { deliveriesCounted, outcomeOf, userText } from './words.ts'

const dayMs = 86_400_000
const defaultDays = shownDeadMs / dayMs

/**
 * Handles GET requests for the page that shows the deliveries that died within a period, grouped by business and
 * endpoint.
 */
export const deadPage = (deps: Deps) => async (req: Request, res: Response) => {
  const { from = '', to = '' } = req.query
  const span = readFormSpan(deps, { from, to })
  const now = deps.now()
  const period = periodOf(span, now)
  const dead = await groupDead(deps, period)
  const staff = staffOf(res)
  const body = html`<h1>Dead deliveries</h1>
    !${filter(span, now)}
    !${dead === null ? tooMany : await list(deps, dead, period, staff)}`
  sendPage(res, 200, page({ title: 'Dead deliveries', staff, current: '/admin/dead' }, body))
}

/**
 * Returns the period to show. If the end is open, the period ends now. If the start is open, the period starts 30 days
 * before its end, or 30 days ago if the end is in the future.
 */
function periodOf({ from, to }: Span, now: Date): Period {
  const end = to ?? new Date(Math.max(now.getTime(), from?.getTime() ?? 0))
  const latest = Math.min(end.getTime(), now.getTime())
  return { from: from ?? new Date(latest - shownDeadMs), to: end }
}

const tooMany = html`<p class="notice bad">There are too many dead deliveries to count in time. Choose a shorter period.</p>`

const filter = ({ from, to }: Span, now: Date): string =>
  html`<form class="filter card" action="/admin/dead">
      <div><label for="from">From (UTC)</label><input id="from" name="from" type="datetime-local" value="${forField(from)}" /></div>
      <div><label for="to">To (UTC)</label><input id="to" name="to" type="datetime-local" value="${forField(to)}" /></div>
      <div class="act"><button>Show</button></div>
    </form>
    <p>!${[1, 7, defaultDays].map((days) => html`<a href="/admin/dead?from=${new Date(now.getTime() - days * dayMs).toISOString()}">Last ${days === 1 ? '24 hours' : `${days} days`}</a> `)}</p>`

/** Formats a time for a browser's date and time field, which accepts neither a time zone nor fractions of a second. */
const forField = (at: Date | null): string => at?.toISOString().slice(0, 16) ?? ''

async function list(deps: Deps, dead: DeadGroups, period: Period, staff: SignedIn): Promise<string> {
  const { groups, isCut } = dead
  const between = html`between !${time(period.from)} and !${time(period.to)}`
  if (groups.length === 0) return html`<p class="notice good">No delivery that died !${between} is still dead.</p>`
  const ofBusinesses = [...Map.groupBy(groups, ({ businessId }) => businessId)]
  const [businesses, endpoints] = await Promise.all([
    lookUpBusinesses(
      deps,
      ofBusinesses.map(([id]) => id),
    ),
    lookUpEndpoints(
      deps,
      groups.map(({ endpointId }) => endpointId),
    ),
  ])
  const names = new Map(businesses.map((business) => [business._id, business]))
  const urls = new Map(endpoints.map((endpoint) => [endpoint._id, endpoint]))
  const cut = isCut ? ` Only the ${groups.length} endpoints with the most dead deliveries are shown and counted.` : ''
  return html`<p>${isCut ? 'More than ' : ''}${deliveriesCounted(sum(groups))} died !${between} and ${sum(groups) === 1 ? 'is' : 'are'} still dead.${cut}</p>
    !${ofBusinesses
      .toSorted(([, a], [, b]) => sum(b) - sum(a))
      .map(([id, ofBusiness]) => section(names.get(id), id, ofBusiness, urls, period, staff))}`
}

const sum = (groups: readonly DeadGroup[]): number => groups.reduce((total, { count }) => total + count, 0)

const section = (
  business: Business | undefined,
  id: string,
  groups: DeadGroup[],
  endpoints: Map<string, TracedEndpoint>,
  period: Period,
  staff: SignedIn,
): string =>
  html`<h2><a href="${businessPath(id)}">!${userText(business?.name ?? id)}</a>: ${deliveriesCounted(sum(groups))}</h2>
    <div class="scroll">
      <table class="cards">
        <thead><tr><th>Endpoint</th><th class="number">Dead</th><th>Oldest</th><th>Newest</th><th>Last error</th>!${mayStaff(staff, 'requeue-deliveries') ? '<th>Action</th>' : ''}</tr></thead>
        <tbody>!${groups.map((group) => row(group, endpoints.get(group.endpointId), period, staff))}</tbody>
      </table>
    </div>`

const row = (group: DeadGroup, endpoint: TracedEndpoint | undefined, period: Period, staff: SignedIn): string =>
  html`<tr>
    <td data-label="Endpoint" class="wide"><a href="${endpointPath(group.endpointId)}">!${userText(endpoint?.url ?? group.endpointId)}</a></td>
    <td data-label="Dead" class="number">${group.count} <span class="faint">(${group.live} live)</span></td>
    <td data-label="Oldest" class="wide when">!${time(group.oldest)}</td>
    <td data-label="Newest" class="wide when">!${time(group.newest)}</td>
    <td data-label="Last error">!${group.lastAttempt === null ? '' : userText(outcomeOf(group.lastAttempt))}</td>
    !${mayStaff(staff, 'requeue-deliveries') ? html`<td>!${requeueAllLink(group.endpointId, endpoint, period, staff, group.count === 1 ? 'Re-queue' : `Re-queue all ${group.count}`)}</td>` : ''}
  </tr>`
