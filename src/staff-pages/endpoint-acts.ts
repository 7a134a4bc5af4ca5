import { html } from 'ghtml'
import type { EventName } from '../../schemas/events.ts'
import { inputField } from '../http/pages/forms.ts'
import { endSpanNow, type TimeSpan } from '../input/span.ts'
import type { Deps } from '../platform/deps.ts'
import { Refusal } from '../platform/errors.ts'
import { countSelectedEvents, countUndelivered } from '../replays/selected-events.ts'
import { type PlannedReplay, planReplay, startReplay } from '../replays/start.ts'
import type { Author } from '../security/actor.ts'
import type { ActionGroup, FormValues, StaffAction } from '../staff-acts/act.ts'
import { endpointDisplay } from '../staff-acts/shown.ts'
import { countEndpointDead, deadFilter } from '../webhooks/deliveries/backlog.ts'
import { lookUpEndpoint, type StaffEndpoint } from '../webhooks/deliveries/look-up.ts'
import { type RequeueDeps, requeueByFilter } from '../webhooks/deliveries/requeue.ts'
import { formatCappedCount, renderTime } from './format.ts'
import { endpointPath, readFormSpan, spanFields, withQuery } from './paths.ts'
import { deriveEndpointState, replayRemedies, requeueRemedies } from './sentences/webhook-advice.ts'
import { healthField } from './webhooks.ts'

type EndpointAct = StaffAction<StaffEndpoint, Deps>

/** A page may take 8 s (router.ts). Staff can re-queue the rest afterwards. */
const maxRequeueMs = 5000

async function requeueInTime(deps: RequeueDeps, endpointId: string, span: TimeSpan, by: Author) {
  const endsAt = performance.now() + maxRequeueMs
  const done = { requeued: 0, skipped: 0 }
  for await (const outcomes of requeueByFilter(deps, { endpointId, ...deadFilter(span) }, by)) {
    for (const outcome of outcomes.values()) done[outcome === 'requeued' ? 'requeued' : 'skipped'] += 1
    if (performance.now() > endsAt) break
  }
  return done
}

const hidden = { label: null, current: () => '' }

const requeueAllAct: EndpointAct = {
  label: 'Re-queue all',
  title: 'Re-queue all dead deliveries to endpoint',
  description: 're-queue the dead deliveries to an endpoint',
  command: null,
  audit: 'delivery.requeued',
  isReasonOptional: true,
  effects: {
    changes:
      'each of these dead deliveries gets one more attempt, as soon as the endpoint has a free slot. If the attempt fails, the delivery is marked dead again. If the endpoint is still failing, have the merchant fix it first.',
    undoNote: "a delivery attempt can't be undone.",
  },
  fields: { from: hidden, to: hidden },
  async details(deps, { _id }, values) {
    const span = readFormSpan(deps, values)
    const { from, to } = span
    const count = formatCappedCount(await countEndpointDead(deps, _id, span))
    const between = html`!${from === null ? '' : html` from !${renderTime(from)}`}!${to === null ? '' : html` to !${renderTime(to)}`}`
    return html`<p class="lead">Dead deliveries!${between}: <b>${count}</b></p>`
  },
  obstacle: (endpoint) => requeueRemedies[deriveEndpointState(endpoint)],
  async run(deps, { _id }, by, values) {
    // With a fixed end, a second request continues with the same deliveries.
    const span = endSpanNow(deps, readFormSpan(deps, values))
    const done = await requeueInTime(deps, _id, span, by)
    const left = await countEndpointDead(deps, _id, span)
    return { done, to: withQuery(endpointPath(_id), { result: 'all', ...spanFields(span), ...done, left }) }
  },
}

const choices = { undelivered: 'Not delivered', all: 'All' } as const

/** Throws VALIDATION_ERROR if a time is invalid. */
function plan(
  deps: Pick<Deps, 'LoggedEvent' | 'lists' | 'now' | 'validate'>,
  endpoint: StaffEndpoint,
  values: FormValues,
): Promise<PlannedReplay> {
  const { deliveries, event = '' } = values
  const span = readFormSpan(deps, values)
  const request = {
    from: span.from ?? new Date(0),
    to: span.to,
    events: event === '' ? null : [event as EventName],
    onlyUndelivered: deliveries !== 'all',
  }
  return planReplay(deps, endpoint, request, (selection) => countSelectedEvents(deps.lists.models, selection))
}

/** Submitting this form only counts the events. */
const selectionForm = (endpoint: StaffEndpoint, values: FormValues) => {
  const { from, to, deliveries, event } = values
  const events = Object.fromEntries(endpoint.events.map((name) => [name, name]))
  return html`<form class="filter card" action="${endpointPath(endpoint._id)}/replay">
    !${inputField('from', { label: 'From (UTC)', value: from, attributes: 'placeholder="2026-01-31T14:00"' })}
    !${inputField('to', { label: 'To (UTC)', value: to, attributes: 'placeholder="now"' })}
    !${inputField('event', { label: 'Event', value: event, choices: { '': 'All', ...events } })}
    !${inputField('deliveries', { label: 'Deliveries', value: deliveries, choices })}
    <div class="act"><button>Count</button></div>
  </form>`
}

const replayAct: EndpointAct = {
  label: 'Replay',
  title: 'Replay events to endpoint',
  description: 'replay the events of a period to an endpoint',
  command: null,
  audit: 'endpoint.replayed',
  isReasonOptional: true,
  effects: {
    changes:
      'a worker replays the selected events, oldest first, alongside new events. An existing delivery gets one more attempt. If that attempt fails, a delivery that was dead is marked dead again, and any other continues with its automatic attempts. A missing delivery is created and gets up to eight attempts.',
    undoNote: "cancel the replay on the endpoint's page. Attempts that were already made can't be undone.",
  },
  fields: { from: hidden, to: hidden, event: hidden, deliveries: hidden },
  async details(deps, endpoint, values) {
    const planned = await plan(deps, endpoint, values)
    const { total, sandbox } = planned
    const undelivered = await countUndelivered(planned, deps.lists.models)
    return html`!${selectionForm(endpoint, values)}
      <p class="lead">${sandbox ? 'Sandbox' : 'Live'} events in this period: <b>${total}</b>!${undelivered === null ? '' : html`, not delivered: <b>${undelivered}</b>`}</p>`
  },
  obstacle: (endpoint) => replayRemedies[deriveEndpointState(endpoint)],
  async run(deps, endpoint, by, values) {
    return { done: await startReplay(deps, await plan(deps, endpoint, values), by) }
  },
  done: 'The replay has started. The table of replays shows its progress.',
}

export const endpointActions: ActionGroup<StaffEndpoint, Deps> = {
  noun: 'endpoint',
  path: '/endpoints/:id',
  permission: 'requeue-deliveries',
  find: lookUpEndpoint,
  nameOf: ({ url }) => new URL(url).host,
  facts: [endpointDisplay.url, healthField],
  refusalText: async (error) =>
    error instanceof Refusal && error.code === 'RATE_LIMITED' ? error.message : null,
  acts: { 'requeue-all': requeueAllAct, replay: replayAct },
}
