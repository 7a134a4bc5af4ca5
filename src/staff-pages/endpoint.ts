import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { lookUpBusiness } from '../businesses/list-businesses.ts'
import { redirectTo } from '../http/pages/send-page.ts'
import { anyTime, type TimeSpan } from '../input/span.ts'
import type { Deps } from '../platform/deps.ts'
import { cancelReplay } from '../replays/cancel.ts'
import { latestReplays } from '../replays/find.ts'
import type { Replay } from '../replays/replay.ts'
import { mayStaff } from '../staff/permissions.ts'
import type { SignedIn } from '../staff/staff-sessions.ts'
import { countDeadOf } from '../webhooks/deliveries/backlog.ts'
import { latestDeadOf, lookUpEndpoint, type TracedEndpoint } from '../webhooks/deliveries/look-up.ts'
import { actNotice } from './act-routes.ts'
import { endpointBadge } from './badges.ts'
import { endpointActs } from './endpoint-acts.ts'
import { byStaff } from './guards.ts'
import { buttonForm, sendNotFound, sendStaffPage, staffOf, time } from './layout.ts'
import { businessLink, endpointPath, readFormSpan } from './paths.ts'
import { remedyOr, requeueAllLink, requeueAllNotice } from './requeue.ts'
import { adviceCard, adviceCards } from './sentences/advice.ts'
import { deadAdvice, endpointAdvice, endpointStateOf, replayRemedy } from './sentences/endpoint-advice.ts'
import { type Column, table } from './table.ts'
import { deliveriesTable, healthOf, lastDayText } from './webhooks.ts'
import { atMost, userText } from './words.ts'

/** Handles GET requests for an endpoint's page, which shows the endpoint's health and its dead deliveries. */
export const endpointPage =
  (deps: Pick<Deps, 'Business' | 'Delivery' | 'Endpoint' | 'Replay' | 'now' | 'secrets' | 'validate'>) =>
  async (req: Request<{ id: string }>, res: Response) => {
    const { id } = req.params
    const endpoint = await lookUpEndpoint(deps, id)
    if (endpoint === null) return sendNotFound(res)
    const [business, dead, deadCount, replays] = await Promise.all([
      lookUpBusiness(deps, endpoint.businessId),
      latestDeadOf(deps, id),
      countDeadOf(deps, id, anyTime),
      latestReplays(deps, id),
    ])
    const staff = staffOf(res)
    const continueLink = requeueAllLink(
      id,
      endpoint,
      spanToContinue(deps, req.query),
      staff,
      'Re-queue the rest',
    )
    const body = html`<h1>Endpoint !${userText(new URL(endpoint.url).host)} !${endpointBadge(endpoint)}</h1>
    !${requeueAllNotice(req.query, continueLink)}!${actNotice(endpointActs, endpoint, req.query)}
    <dl class="facts card">
      <dt>Business</dt><dd>!${businessLink(endpoint.businessId, business?.name)}</dd>
      <dt>URL</dt><dd>!${userText(endpoint.url)}</dd>
      <dt>Events</dt><dd>${endpoint.events.join(', ')}</dd>
      <dt>Health</dt><dd>!${healthOf(endpoint)}</dd>
      <dt>Last 24 hours</dt><dd>!${lastDayText(endpoint, deps.now())}</dd>
      <dt>Created</dt><dd>!${time(endpoint.createdAt)}</dd>
      !${endpoint.deletedAt === null ? '' : html`<dt>Deleted</dt><dd>!${time(endpoint.deletedAt)}</dd>`}
      <dt>Id</dt><dd class="id">${id}</dd>
    </dl>
    !${wordsFor(endpoint, dead.length > 0)}
    <h2>Dead deliveries: ${atMost(deadCount)}</h2>
    !${dead.length === 0 ? '' : requeueAllLink(id, endpoint, anyTime, staff, 'Re-queue all')}
    !${dead.length === 0 ? html`<p>None.</p>` : deliveriesTable('Latest dead deliveries', dead)}
    <h2>Replays</h2>
    !${replayLink(endpoint, staff)}
    !${replaysTable(replays, staff)}`
    const title = `Endpoint ${new URL(endpoint.url).host}`
    sendStaffPage(res, { title }, body)
  }

const wordsFor = (endpoint: TracedEndpoint, hasDead: boolean): string =>
  hasDead
    ? adviceCards({
        'About the endpoint': endpointAdvice(endpoint),
        'About its dead deliveries': deadAdvice(endpoint),
      })
    : adviceCard(endpointAdvice(endpoint))

/**
 * If the page is shown after a re-queue of the endpoint's dead deliveries, returns the time span of that re-queue, so
 * that staff can re-queue the remaining deliveries. Otherwise, returns an unlimited time span.
 */
const spanToContinue = (deps: Pick<Deps, 'validate'>, query: Request['query']): TimeSpan =>
  query.result === 'all' ? readFormSpan(deps, query) : anyTime

/**
 * Returns the link to the page that replays events to an endpoint. If the endpoint is disabled or deleted, returns the
 * remedy instead. Returns an empty string if the member of staff may only view pages.
 */
function replayLink(endpoint: TracedEndpoint, staff: SignedIn): string {
  const link = html`<p><a class="button" href="${endpointPath(endpoint._id)}/replay">Replay events…</a></p>`
  return remedyOr(replayRemedy[endpointStateOf(endpoint)], staff, link)
}

/** Returns a table of replays with their progress. */
const replaysTable = (replays: readonly Replay[], staff: SignedIn): string =>
  replays.length === 0
    ? html`<p>None.</p>`
    : table(columnsFor(staff), replays, { label: 'Replays', isTight: true })

const columnsFor = (staff: SignedIn): Column<Replay>[] => [
  { title: 'Started', html: ({ createdAt }) => time(createdAt) },
  { title: 'By', html: ({ startedBy }) => userText(startedBy.name) },
  { title: 'Period', html: ({ from, to }) => html`!${time(from)} to !${time(to)}` },
  { title: 'Environment', text: ({ sandbox }) => (sandbox ? 'Sandbox' : 'Live') },
  { title: 'Deliveries', text: ({ onlyUndelivered }) => (onlyUndelivered ? 'not delivered' : 'all') },
  {
    title: 'Status',
    html: (replay) =>
      html`${replay.status}${replay.cancellationReason === 'endpoint_gone' ? ': the endpoint was deleted or disabled' : ''}!${cancelButton(replay, staff)}`,
  },
  {
    title: 'Progress',
    text: ({ total, requeued, created, skipped }) =>
      `${requeued + created + skipped} of ${total}: ${requeued} re-queued, ${created} created, ${skipped} skipped`,
  },
]

const cancelButton = ({ _id, endpointId, status }: Replay, staff: SignedIn): string =>
  status === 'RUNNING' && mayStaff(staff, 'requeue-deliveries')
    ? buttonForm(staff, `${endpointPath(endpointId)}/replays/${_id}/cancel`, 'Cancel')
    : ''

/** Handles POST requests that cancel a replay. */
export const cancelOne =
  (deps: Pick<Deps, 'AuditEvent' | 'Replay' | 'now' | 'transactions'>) =>
  async (req: Request<{ id: string; replayId: string }>, res: Response) => {
    const { id: endpointId, replayId } = req.params
    const replay = await deps.Replay.findOne({ _id: replayId, endpointId }).lean<Replay | null>()
    if (replay === null) return sendNotFound(res)
    await cancelReplay(deps, replay, byStaff(req, res, null))
    redirectTo(res, endpointPath(endpointId))
  }
