import {
  count,
  countOrNull,
  described,
  eventName,
  id,
  instant,
  instantOrNull,
  objectOf,
  orNull,
  sandbox,
} from './fields.ts'
import { pageOf } from './page.ts'

export const replayStatuses = ['RUNNING', 'DONE', 'CANCELLED'] as const
export type ReplayStatus = (typeof replayStatuses)[number]

export const replayCancellations = ['requested', 'endpoint_gone'] as const
export type ReplayCancellation = (typeof replayCancellations)[number]

const fields = {
  id,
  endpointId: id,
  status: { type: 'string', enum: [...replayStatuses] },
  cancellationReason: described(
    'Why the replay is CANCELLED: on request, or because the endpoint was deleted or disabled. Null otherwise.',
    { type: ['string', 'null'], enum: [...replayCancellations, null] },
  ),
  from: instant,
  to: instant,
  events: described('The events that are replayed.', {
    type: 'array',
    maxItems: 100,
    items: eventName,
  }),
  onlyUndelivered: { type: 'boolean' },
  dryRun: described('True if the events were only counted.', { type: 'boolean' }),
  total: described(
    'The number of events of these types in the period, including those that `onlyUndelivered` leaves out.',
    count,
  ),
  requeued: described('The number of existing deliveries that the replay has re-queued so far.', count),
  created: described('The number of missing deliveries that the replay has created so far.', count),
  skipped: described(
    'The number of deliveries left unchanged, because they were DELIVERED (with `onlyUndelivered`) or an attempt was due.',
    count,
  ),
  sandbox,
  createdAt: instant,
  finishedAt: instantOrNull,
}

/** A replay as the API returns it. */
export const replay = objectOf(fields)

/** The response to a request for a replay. After a dry run, nothing is stored, so there is no id and no status. */
export const requestedReplay = objectOf({
  ...fields,
  id: described('Null after a dry run.', orNull(id)),
  status: described('Null after a dry run.', {
    type: ['string', 'null'],
    enum: [...replayStatuses, null],
  }),
  undelivered: described(
    'After a dry run, the number of these events that the endpoint has not accepted yet, which `onlyUndelivered` would send. Null if `total` is more than 100 000, and for a replay that has been started.',
    countOrNull,
  ),
})

export const replayPage = pageOf(replay)
