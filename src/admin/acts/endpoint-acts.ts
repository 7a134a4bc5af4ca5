import { html } from 'ghtml'
import type { By } from '../../audit/audit-event.ts'
import type { Deps } from '../../deps.ts'
import { type Span, upToNow } from '../../input/span.ts'
import { countDeadOf } from '../../webhooks/deliveries/backlog.ts'
import { deadIn } from '../../webhooks/deliveries/dead-in.ts'
import { lookUpEndpoint, type TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { requeueAll } from '../../webhooks/deliveries/requeue-all.ts'
import { healthOf } from '../pages/endpoints-table.ts'
import { readFormSpan, spanFields } from '../pages/form-span.ts'
import { time } from '../pages/layout.ts'
import { endpointPath } from '../pages/paths.ts'
import { atMost, userText } from '../pages/words.ts'
import { endpointStateOf } from '../sentences/endpoint-advice.ts'
import { requeueRemedy } from '../sentences/endpoint-sentences.ts'
import { replayAct } from './replay-act.ts'
import type { ActGroup, StaffAct, Values } from './staff-act.ts'

/**
 * The maximum time that one request spends re-queuing deliveries. A page may take 8 s in total (router.ts). If
 * deliveries remain after this time, staff can re-queue them with another request.
 */
const maxRequeueMs = 5000

const spanIn = (deps: Deps, { from = '', to = '' }: Values): Span => readFormSpan(deps, { from, to })

async function requeueInTime(deps: Deps, endpointId: string, span: Span, by: By) {
  const endsAt = performance.now() + maxRequeueMs
  const done = { requeued: 0, skipped: 0 }
  for await (const outcomes of requeueAll(deps, { endpointId, ...deadIn(span) }, by)) {
    for (const outcome of outcomes.values()) done[outcome === 'requeued' ? 'requeued' : 'skipped'] += 1
    if (performance.now() > endsAt) break
  }
  return done
}

function resultQuery(done: Record<string, number>, span: Span): string {
  const query = new URLSearchParams({ result: 'all', ...spanFields(span) })
  for (const [name, value] of Object.entries(done)) query.set(name, String(value))
  return query.toString()
}

const hidden = { label: null, current: () => '' }

/**
 * Re-queues either all of an endpoint's deliveries that have died so far, or those that died within the time span in
 * the form.
 */
const requeueAllAct: StaffAct<TracedEndpoint> = {
  permission: 'requeue-deliveries',
  label: 'Re-queue all',
  title: 'Re-queue all dead deliveries of endpoint',
  isDanger: false,
  isReasonOptional: true,
  effects: {
    changes:
      'each of these dead deliveries gets one more attempt, as soon as the endpoint has a free slot. If the attempt fails, the delivery is dead again. If the endpoint still does not work, have the merchant repair it first.',
    undo: null,
    undoNote: 'an attempt cannot be taken back.',
  },
  fields: { from: hidden, to: hidden },
  async details(deps, { _id }, values) {
    const span = spanIn(deps, values)
    const { from, to } = span
    const count = atMost(await countDeadOf(deps, _id, span))
    const between = html`!${from === null ? '' : html` from !${time(from)}`}!${to === null ? '' : html` to !${time(to)}`}`
    return html`<p class="lead">Dead deliveries!${between}: <b>${count}</b></p>`
  },
  obstacle: (endpoint) => requeueRemedy[endpointStateOf(endpoint)],
  async run(deps, { _id }, by, values) {
    // The end of the span is fixed here, and stays the same when staff continue with the remaining deliveries.
    const span = upToNow(deps, spanIn(deps, values))
    const done = await requeueInTime(deps, _id, span, by)
    const left = await countDeadOf(deps, _id, span)
    return { result: 'done', to: `${endpointPath(_id)}?${resultQuery({ ...done, left }, span)}` }
  },
  done: '',
}

/** The acts on an endpoint. */
export const endpointActs: ActGroup<TracedEndpoint> = {
  path: '/endpoints/:id',
  find: lookUpEndpoint,
  nameOf: ({ url }) => new URL(url).host,
  facts: (endpoint) =>
    html`<dt>URL</dt><dd>!${userText(endpoint.url)}</dd><dt>Health</dt><dd>!${healthOf(endpoint)}</dd>`,
  acts: { 'requeue-all': requeueAllAct, replay: replayAct },
}
