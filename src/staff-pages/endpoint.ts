import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { buttonForm } from '../account-pages/forms.ts'
import { lookUpBusiness } from '../businesses/list-businesses.ts'
import { sendRedirect } from '../http/pages/send-page.ts'
import { isolateText } from '../http/pages/text.ts'
import { anyTimeSpan, type TimeSpan } from '../input/span.ts'
import type { Deps } from '../platform/deps.ts'
import type { Replay } from '../replays/replay.ts'
import { cancelReplay, findLatestReplays } from '../replays/replay.ts'
import type { SignedInStaff } from '../staff/account.ts'
import { hasPermission } from '../staff/permissions.ts'
import { endpointDisplay, type PageField, replayDisplay } from '../staff-acts/shown.ts'
import { countEndpointDead } from '../webhooks/deliveries/backlog.ts'
import { listLatestDead, lookUpEndpoint, type StaffEndpoint } from '../webhooks/deliveries/look-up.ts'
import { lastDayStats } from '../webhooks/endpoints/endpoint-facts.ts'
import { renderDoneNotice } from './act-routes.ts'
import { endpointActions } from './endpoint-acts.ts'
import { endpointBadge, formatCappedCount, renderTime } from './format.ts'
import { type StaffPage, staffAsActor } from './guards.ts'
import { sendNotFound } from './layout.ts'
import { businessLink, endpointPath, readFormSpan } from './paths.ts'
import { controlOrRemedy, requeueAllLink, requeueAllNotice } from './requeue.ts'
import { adviceCard, renderAdviceCards } from './sentences/advice.ts'
import {
  deadDeliveryAdvice,
  deriveEndpointState,
  endpointAdvice,
  replayRemedies,
} from './sentences/webhook-advice.ts'
import { renderFacts, renderTable } from './table.ts'
import { deliveriesTable, healthField } from './webhooks.ts'

export const endpointPage: StaffPage<
  'Business' | 'Delivery' | 'Endpoint' | 'Replay' | 'now' | 'secrets' | 'validate'
> = async (deps, { id, query, staff }) => {
  const endpoint = await lookUpEndpoint(deps, id)
  if (endpoint === null) return null
  const [business, dead, deadCount, replays] = await Promise.all([
    lookUpBusiness(deps, endpoint.businessId),
    listLatestDead(deps, id),
    countEndpointDead(deps, id, anyTimeSpan),
    findLatestReplays(deps, id),
  ])
  const title = `Endpoint ${new URL(endpoint.url).host}`
  // After a re-queue, only deliveries in its time span count as remaining.
  const span = query.result === 'all' ? readFormSpan(deps, query) : anyTimeSpan
  const requeueLink = (within: TimeSpan, label: string) => requeueAllLink(id, endpoint, within, staff, label)
  const replayLink = html`<p><a class="button" href="${endpointPath(id)}/replay">Replay events…</a></p>`
  const body = html`<h1>Endpoint !${isolateText(new URL(endpoint.url).host)} !${endpointBadge(endpoint)}</h1>
    !${requeueAllNotice(query, requeueLink(span, 'Re-queue the rest'))}!${renderDoneNotice(endpointActions, endpoint, query)}
    <dl class="facts card">
      <dt>Business</dt><dd>!${businessLink(endpoint.businessId, business?.name)}</dd>
      !${renderFacts(endpoint, [endpointDisplay.url, endpointDisplay.events, healthField])}
      <dt>Last 24 hours</dt><dd>!${lastDay(endpoint, deps.now())}</dd>
      !${renderFacts(endpoint, [endpointDisplay.createdAt])}
      !${endpoint.deletedAt === null ? '' : html`<dt>Deleted</dt><dd>!${renderTime(endpoint.deletedAt)}</dd>`}
      <dt>Id</dt><dd class="id">${id}</dd>
    </dl>
    !${adviceFor(endpoint, dead.length > 0)}
    <h2>Dead deliveries: ${formatCappedCount(deadCount)}</h2>
    !${dead.length === 0 ? html`<p>None.</p>` : requeueLink(anyTimeSpan, 'Re-queue all') + deliveriesTable('Latest dead deliveries', dead)}
    <h2>Replays</h2>
    !${controlOrRemedy(replayRemedies[deriveEndpointState(endpoint)], staff, replayLink)}
    !${replays.length === 0 ? html`<p>None.</p>` : renderTable(replayColumns(staff), replays, { label: 'Replays', isTight: true })}`
  return { title, body }
}

function lastDay(endpoint: StaffEndpoint, now: Date) {
  const { attempts, succeeded, successRate } = lastDayStats(endpoint, now)
  const since = endpoint.reportedFailure?.since
  const report =
    since === undefined
      ? ''
      : html` Failing since !${renderTime(since)}. This was reported as endpoint.failing.`
  if (successRate === null) return html`No attempts.!${report}`
  const percent = Math.floor(successRate * 100)
  return html`${succeeded} of ${attempts} attempts succeeded (${percent} %).!${report}`
}

const adviceFor = (endpoint: StaffEndpoint, hasDead: boolean) =>
  hasDead
    ? renderAdviceCards({
        'About the endpoint': endpointAdvice(endpoint),
        'About its dead deliveries': deadDeliveryAdvice(endpoint),
      })
    : adviceCard(endpointAdvice(endpoint))

const replayColumns = (staff: SignedInStaff): PageField<Replay>[] => [
  replayDisplay.startedAt,
  { label: 'By', unit: 'user', value: ({ startedBy }) => startedBy.name },
  { label: 'Period', html: ({ from, to }) => html`!${renderTime(from)} to !${renderTime(to)}` },
  { label: 'Environment', value: ({ sandbox }) => (sandbox ? 'Sandbox' : 'Live') },
  { label: 'Deliveries', value: ({ onlyUndelivered }) => (onlyUndelivered ? 'not delivered' : 'all') },
  {
    ...replayDisplay.status,
    html: (replay) =>
      html`${replay.status}${replay.cancellationReason === 'endpoint_gone' ? ': the endpoint was deleted or disabled' : ''}!${cancelButton(replay, staff)}`,
  },
  {
    label: 'Progress',
    value: ({ total, requeued, created, skipped }) =>
      `${requeued + created + skipped} of ${total}: ${requeued} re-queued, ${created} created, ${skipped} skipped`,
  },
]

const cancelButton = ({ _id, endpointId, status }: Replay, staff: SignedInStaff) =>
  status === 'RUNNING' && hasPermission(staff, 'requeue-deliveries')
    ? buttonForm(staff, `${endpointPath(endpointId)}/replays/${_id}/cancel`, 'Cancel')
    : ''

export const handleReplayCancel =
  (deps: Pick<Deps, 'AuditEvent' | 'Replay' | 'now' | 'transactions'>) =>
  async (req: Request<{ id: string; replayId: string }>, res: Response) => {
    const { id: endpointId, replayId } = req.params
    const replay = await deps.Replay.findOne({ _id: replayId, endpointId }).lean<Replay | null>()
    if (replay === null) return sendNotFound(res)
    await cancelReplay(deps, replay, staffAsActor(req, res, null))
    sendRedirect(res, endpointPath(endpointId))
  }
