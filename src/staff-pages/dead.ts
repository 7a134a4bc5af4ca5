import { html } from 'ghtml'
import { lookUpBusinesses } from '../businesses/list-businesses.ts'
import { inputField } from '../http/pages/forms.ts'
import { isolateText } from '../http/pages/text.ts'
import type { TimeSpan } from '../input/span.ts'
import type { Deps } from '../platform/deps.ts'
import { dayMs } from '../platform/time.ts'
import type { SignedInStaff } from '../staff/account.ts'
import { hasPermission } from '../staff/permissions.ts'
import * as backlog from '../webhooks/deliveries/backlog.ts'
import { lookUpEndpoints, type StaffEndpoint } from '../webhooks/deliveries/look-up.ts'
import { describeAttempt, formatDeliveryCount, renderTime } from './format.ts'
import type { StaffPage } from './guards.ts'
import { businessLink, endpointPath, readFormSpan, textLink } from './paths.ts'
import { requeueAllLink } from './requeue.ts'
import { type PageTableColumn, renderTable } from './table.ts'

const defaultDays = backlog.deadVisibleMs / dayMs

export const deadDeliveriesPage: StaffPage<
  'Business' | 'Delivery' | 'Endpoint' | 'now' | 'secrets' | 'validate'
> = async (deps, { query, staff }) => {
  const span = readFormSpan(deps, query)
  const now = deps.now()
  const period = periodOf(span, now)
  const dead = await backlog.groupDead(deps, period)
  const body = html`<h1>Dead deliveries</h1>
    !${filter(span, now)}
    !${dead === null ? tooMany : await list(deps, dead, period, staff)}`
  return { title: 'Dead deliveries', current: '/admin/dead', body }
}

/** Begins by default 30 days before its end or now, whichever is earlier. */
function periodOf({ from, to }: TimeSpan, now: Date): backlog.DeadPeriod {
  const end = to ?? new Date(Math.max(now.getTime(), from?.getTime() ?? 0))
  const latest = Math.min(end.getTime(), now.getTime())
  return { from: from ?? new Date(latest - backlog.deadVisibleMs), to: end }
}

const tooMany = html`<p class="notice bad">There are too many dead deliveries to count in time. Choose a shorter period.</p>`

const filter = ({ from, to }: TimeSpan, now: Date) =>
  html`<form class="filter card" action="/admin/dead">
      !${timeField('from', 'From (UTC)', from)} !${timeField('to', 'To (UTC)', to)}
      <div class="act"><button>Show</button></div>
    </form>
    <p>!${[1, 7, defaultDays].map((days) => html`<a href="/admin/dead?from=${new Date(now.getTime() - days * dayMs).toISOString()}">Last ${days === 1 ? '24 hours' : `${days} days`}</a> `)}</p>`

/** Browsers accept neither a time zone nor fractions of a second here. */
const timeField = (name: string, label: string, at: Date | null) =>
  inputField(name, { label, value: at?.toISOString().slice(0, 16), attributes: 'type="datetime-local"' })

async function list(
  deps: Pick<Deps, 'Business' | 'Delivery' | 'Endpoint' | 'secrets'>,
  dead: backlog.DeadGroups,
  period: backlog.DeadPeriod,
  staff: SignedInStaff,
) {
  const { groups, isCut } = dead
  const between = html`between !${renderTime(period.from)} and !${renderTime(period.to)}`
  if (groups.length === 0)
    return html`<p class="notice good">No delivery that died !${between} is still dead.</p>`
  const ofBusinesses = Map.groupBy(groups, ({ businessId }) => businessId)
  const endpointIds = groups.map(({ endpointId }) => endpointId)
  const [businesses, endpoints] = await Promise.all([
    lookUpBusinesses(deps, [...ofBusinesses.keys()]),
    lookUpEndpoints(deps, endpointIds),
  ])
  const names = new Map(businesses.map(({ _id, name }) => [_id, name]))
  const columns = columnsFor(new Map(endpoints.map((endpoint) => [endpoint._id, endpoint])), period, staff)
  const cut = `Only the ${groups.length} endpoints with the most dead deliveries are shown and counted.`
  const total = sum(groups)
  return html`<p>${isCut ? 'More than ' : ''}${formatDeliveryCount(total)} died !${between} and ${total === 1 ? 'is' : 'are'} still dead.${isCut ? ` ${cut}` : ''}</p>
    !${[...ofBusinesses]
      .toSorted(([, a], [, b]) => sum(b) - sum(a))
      .map(
        ([id, ofBusiness]) =>
          html`<h2>!${businessLink(id, names.get(id))}: ${formatDeliveryCount(sum(ofBusiness))}</h2>
          !${renderTable(columns, ofBusiness)}`,
      )}`
}

const sum = (groups: readonly backlog.DeadGroup[]) => groups.reduce((total, { count }) => total + count, 0)

function columnsFor(
  endpoints: ReadonlyMap<string, StaffEndpoint>,
  period: backlog.DeadPeriod,
  staff: SignedInStaff,
): PageTableColumn<backlog.DeadGroup>[] {
  const columns: PageTableColumn<backlog.DeadGroup>[] = [
    {
      label: 'Endpoint',
      unit: 'user',
      html: ({ endpointId: id }) => textLink(endpointPath(id), endpoints.get(id)?.url ?? id),
    },
    {
      label: 'Dead',
      unit: 'count',
      html: ({ count, live }) => html`${count} <span class="faint">(${live} live)</span>`,
    },
    { label: 'Oldest', unit: 'time', value: ({ oldest }) => oldest },
    { label: 'Newest', unit: 'time', value: ({ newest }) => newest },
    {
      label: 'Last error',
      html: ({ lastAttempt }) => (lastAttempt === null ? '' : isolateText(describeAttempt(lastAttempt))),
    },
  ]
  if (!hasPermission(staff, 'requeue-deliveries')) return columns
  const requeue = ({ endpointId, count }: backlog.DeadGroup) => {
    const label = count === 1 ? 'Re-queue' : `Re-queue all ${count}`
    return requeueAllLink(endpointId, endpoints.get(endpointId), period, staff, label)
  }
  return [...columns, { label: 'Action', isAction: true, html: requeue }]
}
