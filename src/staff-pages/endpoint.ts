import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { lookUpBusiness } from '../businesses/list-businesses.ts'
import { redirectTo } from '../http/pages/send-page.ts'
import { anyTime, type TimeSpan } from '../input/span.ts'
import type { Deps } from '../platform/deps.ts'
import type { Replay } from '../replays/replay.ts'
import { cancelReplay, latestReplays } from '../replays/replay.ts'
import { mayStaff } from '../staff/permissions.ts'
import type { SignedIn } from '../staff/staff-sessions.ts'
import { endpointShown, type PageField, replayShown } from '../staff-acts/shown.ts'
import { countDeadOf } from '../webhooks/deliveries/backlog.ts'
import { latestDeadOf, lookUpEndpoint, type TracedEndpoint } from '../webhooks/deliveries/look-up.ts'
import { lastDayOf } from '../webhooks/endpoints/endpoint-facts.ts'
import { actNotice } from './act-routes.ts'
import { endpointActs } from './endpoint-acts.ts'
import { atMost, endpointBadge, time, userText } from './format.ts'
import { byStaff, type StaffPage } from './guards.ts'
import { buttonForm, sendNotFound } from './layout.ts'
import { businessLink, endpointPath, readFormSpan } from './paths.ts'
import { remedyOr, requeueAllLink, requeueAllNotice } from './requeue.ts'
import { adviceCard, adviceCards } from './sentences/advice.ts'
import { deadAdvice, endpointAdvice, endpointStateOf, replayRemedy } from './sentences/webhook-advice.ts'
import { factsOf, table } from './table.ts'
import { deliveriesTable, healthField } from './webhooks.ts'

export const endpointPage: StaffPage<
  'Business' | 'Delivery' | 'Endpoint' | 'Replay' | 'now' | 'secrets' | 'validate'
> = async (deps, { id, query, staff }) => {
  const endpoint = await lookUpEndpoint(deps, id)
  if (endpoint === null) return null
  const [business, dead, deadCount, replays] = await Promise.all([
    lookUpBusiness(deps, endpoint.businessId),
    latestDeadOf(deps, id),
    countDeadOf(deps, id, anyTime),
    latestReplays(deps, id),
  ])
  const title = `Endpoint ${new URL(endpoint.url).host}`
  // After a re-queue, only deliveries in its time span count as remaining.
  const span = query.result === 'all' ? readFormSpan(deps, query) : anyTime
  const requeueLink = (within: TimeSpan, label: string) => requeueAllLink(id, endpoint, within, staff, label)
  const replayLink = html`<p><a class="button" href="${endpointPath(id)}/replay">Replay events…</a></p>`
  const body = html`<h1>Endpoint !${userText(new URL(endpoint.url).host)} !${endpointBadge(endpoint)}</h1>
    !${requeueAllNotice(query, requeueLink(span, 'Re-queue the rest'))}!${actNotice(endpointActs, endpoint, query)}
    <dl class="facts card">
      <dt>Business</dt><dd>!${businessLink(endpoint.businessId, business?.name)}</dd>
      !${factsOf(endpoint, [endpointShown.url, endpointShown.events, healthField])}
      <dt>Last 24 hours</dt><dd>!${lastDay(endpoint, deps.now())}</dd>
      !${factsOf(endpoint, [endpointShown.createdAt])}
      !${endpoint.deletedAt === null ? '' : html`<dt>Deleted</dt><dd>!${time(endpoint.deletedAt)}</dd>`}
      <dt>Id</dt><dd class="id">${id}</dd>
    </dl>
    !${adviceFor(endpoint, dead.length > 0)}
    <h2>Dead deliveries: ${atMost(deadCount)}</h2>
    !${dead.length === 0 ? html`<p>None.</p>` : requeueLink(anyTime, 'Re-queue all') + deliveriesTable('Latest dead deliveries', dead)}
    <h2>Replays</h2>
    !${remedyOr(replayRemedy[endpointStateOf(endpoint)], staff, replayLink)}
    !${replays.length === 0 ? html`<p>None.</p>` : table(replayColumns(staff), replays, { label: 'Replays', isTight: true })}`
  return { title, body }
}

/** Says how many attempts succeeded, and since when they've been failing if that was reported. */
function lastDay(endpoint: TracedEndpoint, now: Date): string {
  const { attempts, succeeded, successRate } = lastDayOf(endpoint, now)
  const since = endpoint.reportedFailure?.since
  const report =
    since === undefined ? '' : html` Failing since !${time(since)}, which was reported as endpoint.failing.`
  if (successRate === null) return html`No attempts.!${report}`
  const percent = Math.floor(successRate * 100)
  return html`${succeeded} of ${attempts} attempts succeeded (${percent} %).!${report}`
}

const adviceFor = (endpoint: TracedEndpoint, hasDead: boolean): string =>
  hasDead
    ? adviceCards({
        'About the endpoint': endpointAdvice(endpoint),
        'About its dead deliveries': deadAdvice(endpoint),
      })
    : adviceCard(endpointAdvice(endpoint))

const replayColumns = (staff: SignedIn): PageField<Replay>[] => [
  replayShown.startedAt,
  { label: 'By', unit: 'user', value: ({ startedBy }) => startedBy.name },
  { label: 'Period', html: ({ from, to }) => html`!${time(from)} to !${time(to)}` },
  { label: 'Environment', value: ({ sandbox }) => (sandbox ? 'Sandbox' : 'Live') },
  { label: 'Deliveries', value: ({ onlyUndelivered }) => (onlyUndelivered ? 'not delivered' : 'all') },
  {
    ...replayShown.status,
    html: (replay) =>
      html`${replay.status}${replay.cancellationReason === 'endpoint_gone' ? ': the endpoint was deleted or disabled' : ''}!${cancelButton(replay, staff)}`,
  },
  {
    label: 'Progress',
    value: ({ total, requeued, created, skipped }) =>
      `${requeued + created + skipped} of ${total}: ${requeued} re-queued, ${created} created, ${skipped} skipped`,
  },
]

const cancelButton = ({ _id, endpointId, status }: Replay, staff: SignedIn): string =>
  status === 'RUNNING' && mayStaff(staff, 'requeue-deliveries')
    ? buttonForm(staff, `${endpointPath(endpointId)}/replays/${_id}/cancel`, 'Cancel')
    : ''

export const cancelOne =
  (deps: Pick<Deps, 'AuditEvent' | 'Replay' | 'now' | 'transactions'>) =>
  async (req: Request<{ id: string; replayId: string }>, res: Response) => {
    const { id: endpointId, replayId } = req.params
    const replay = await deps.Replay.findOne({ _id: replayId, endpointId }).lean<Replay | null>()
    if (replay === null) return sendNotFound(res)
    await cancelReplay(deps, replay, byStaff(req, res, null))
    redirectTo(res, endpointPath(endpointId))
  }
