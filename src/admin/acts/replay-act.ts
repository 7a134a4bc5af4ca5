import { html } from 'ghtml'
import type { EventName } from '../../../schemas/events.ts'
import type { Deps } from '../../deps.ts'
import { Refusal } from '../../errors.ts'
import type { TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'
import { countSelected } from '../../webhooks/replays/selected-events.ts'
import { type PlannedReplay, planReplay, startReplay } from '../../webhooks/replays/start.ts'
import { countUndelivered } from '../../webhooks/replays/undelivered.ts'
import { readFormSpan } from '../pages/form-span.ts'
import { endpointPath } from '../pages/paths.ts'
import { endpointStateOf } from '../sentences/endpoint-advice.ts'
import { replayRemedy } from '../sentences/endpoint-sentences.ts'
import type { StaffAct, Values } from './staff-act.ts'

const choices = { undelivered: 'Not delivered', all: 'All' } as const

/** Selects and counts the events that the form describes. Throws VALIDATION_ERROR if a time is invalid. */
function plan(deps: Deps, endpoint: TracedEndpoint, values: Values): Promise<PlannedReplay> {
  const { from = '', to = '', deliveries, event = '' } = values
  const span = readFormSpan(deps, { from, to })
  const request = {
    from: span.from ?? new Date(0),
    to: span.to,
    events: event === '' ? null : [event as EventName],
    onlyUndelivered: deliveries !== 'all',
  }
  return planReplay(deps, endpoint, request, (selection) => countSelected(deps.lists.models, selection))
}

const option = (value: string, name: string, chosen: string | undefined): string =>
  html`<option value="${value}" !${value === chosen ? 'selected' : ''}>${name}</option>`

/** Returns the form that selects the events to replay. Submitting it only counts them. */
const selectionForm = (endpoint: TracedEndpoint, values: Values): string => {
  const { from = '', to = '', deliveries, event } = values
  return html`<form class="filter card" action="${endpointPath(endpoint._id)}/replay">
    <div><label for="from">From (UTC)</label><input id="from" name="from" placeholder="2026-01-31T14:00" value="${from}" /></div>
    <div><label for="to">To (UTC)</label><input id="to" name="to" placeholder="now" value="${to}" /></div>
    <div><label for="event">Event</label><select id="event" name="event">!${option('', 'All', event)}!${endpoint.events.map((name) => option(name, name, event))}</select></div>
    <div><label for="deliveries">Deliveries</label><select id="deliveries" name="deliveries">!${Object.entries(choices).map(([value, name]) => option(value, name, deliveries))}</select></div>
    <div class="act"><button>Count</button></div>
  </form>`
}

const hidden = { label: null, current: () => '' }

/** Replays the events of a period to an endpoint. */
export const replayAct: StaffAct<TracedEndpoint> = {
  permission: 'requeue-deliveries',
  label: 'Replay',
  title: 'Replay events to endpoint',
  isDanger: false,
  isReasonOptional: true,
  effects: {
    changes:
      'a worker replays the selected events, oldest first, alongside new events. An existing delivery gets one more attempt. If it fails, a dead delivery is dead again, and any other one continues its automatic attempts. A missing delivery is created and gets up to eight attempts.',
    undo: null,
    undoNote: 'cancel the replay on the page of the endpoint. Attempts that were already made cannot be undone.',
  },
  fields: { from: hidden, to: hidden, event: hidden, deliveries: hidden },
  async details(deps, endpoint, values) {
    const planned = await plan(deps, endpoint, values)
    const { total, sandbox } = planned
    const undelivered = await countUndelivered(planned, (query) => query(deps.lists.models))
    return html`!${selectionForm(endpoint, values)}
      <p class="lead">${sandbox ? 'Sandbox' : 'Live'} events in this period: <b>${total}</b>!${undelivered === null ? '' : html`, not delivered: <b>${undelivered}</b>`}</p>`
  },
  obstacle: (endpoint) => replayRemedy[endpointStateOf(endpoint)],
  async run(deps, endpoint, by, values) {
    try {
      await startReplay(deps, await plan(deps, endpoint, values), by)
      return { result: 'done' }
    } catch (error) {
      if (error instanceof Refusal && error.code === 'RATE_LIMITED')
        return { result: 'invalid', faults: { form: error.message } }
      throw error
    }
  },
  done: 'The replay has started. The table of replays shows its progress.',
}
