import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../../deps.ts'
import { redirectTo } from '../../http/pages/send-page.ts'
import { mayStaff } from '../../staff/permissions.ts'
import type { SignedIn } from '../../staff/staff-sessions.ts'
import type { TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { cancelReplay } from '../../webhooks/replays/cancel.ts'
import type { Replay } from '../../webhooks/replays/replay.ts'
import { endpointStateOf } from '../sentences/endpoint-advice.ts'
import { replayRemedy } from '../sentences/endpoint-sentences.ts'
import { byStaff } from './guards.ts'
import { buttonForm, time } from './layout.ts'
import { endpointPath } from './paths.ts'
import { remedyOr } from './requeue-buttons.ts'
import { sendNotFound } from './respond.ts'
import { type Column, table } from './table.ts'
import { userText } from './words.ts'

/**
 * Returns the link to the page that replays events to an endpoint. If the endpoint is disabled or deleted, returns the
 * remedy instead. Returns an empty string if the member of staff may only view pages.
 */
export function replayLink(endpoint: TracedEndpoint, staff: SignedIn): string {
  const link = html`<p><a class="button" href="${endpointPath(endpoint._id)}/replay">Replay events…</a></p>`
  return remedyOr(replayRemedy[endpointStateOf(endpoint)], staff, link)
}

/** Returns a table of replays with their progress. */
export const replaysTable = (replays: readonly Replay[], staff: SignedIn): string =>
  replays.length === 0 ? html`<p>None.</p>` : table(columnsFor(staff), replays, { label: 'Replays', isTight: true })

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
export const cancelOne = (deps: Deps) => async (req: Request<{ id: string; replayId: string }>, res: Response) => {
  const { id: endpointId, replayId } = req.params
  const replay = await deps.Replay.findOne({ _id: replayId, endpointId }).lean<Replay | null>()
  if (replay === null) return sendNotFound(res)
  await cancelReplay(deps, replay, byStaff(req, res, null))
  redirectTo(res, endpointPath(endpointId))
}
