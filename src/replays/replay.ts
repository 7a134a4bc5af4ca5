import type { EventName } from '../../schemas/events.ts'
import type { ReplayCancellation, ReplayStatus } from '../../schemas/responses/webhooks.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { date, flag, list, type Of, oneOf, optional, orNull, part, text, whole } from '../mongo/fields.ts'
import { actorFields } from '../security/actor.ts'

/** Both ends of the period are included. */
const selectionFields = part({
  businessId: text,
  sandbox: flag,
  from: date,
  to: date,
  events: list(oneOf<EventName>()),
  /** The log's last number when the replay started. Later events aren't part of it, so a replay always ends. */
  through: whole,
})
export type EventSelection = Of<typeof selectionFields>

/** Each processed event counts once. */
const countFields = part({
  requeued: whole,
  created: whole,
  /** Already DELIVERED, due or in flight. */
  skipped: whole,
})
export type ReplayCounts = Of<typeof countFields>

/**
 * Sends the events of a period to one endpoint again. Workers lease it for a slice of time, so that all replays
 * advance.
 */
export const replays = declareCollection({
  name: 'webhookreplays',
  kept: 'until it expires, 30 days (test) or 90 days (live) after its end',
  fields: {
    ...selectionFields.fields,
    ...countFields.fields,
    _id: text,
    endpointId: text,
    onlyUndelivered: flag,
    total: whole,
    status: oneOf<ReplayStatus>(),
    /** Missing once ended. An endpoint can have only one with this field. */
    running: optional(flag),
    cancellationReason: orNull(oneOf<ReplayCancellation>()),
    /** The last event processed. Null at the beginning. */
    reached: orNull(part({ createdAt: date, eventId: text })),
    /** When a worker may take the lease, or when it ends. Null once ended. */
    nextRunAt: orNull(date),
    /** Only its holder may record progress. A cancelled replay keeps it for the last page. */
    leaseToken: orNull(text),
    startedBy: actorFields,
    createdAt: date,
    /** The UTC day of its start, and its number among those of the business and environment. */
    day: whole,
    numberOfDay: whole,
    finishedAt: orNull(date),
    /** Missing while RUNNING. */
    expiresAt: optional(date),
  },
  indexes: [
    {
      name: 'runningOfEndpoint',
      key: { endpointId: 1 },
      unique: true,
      partialFilterExpression: { running: true },
    },
    { name: 'due', key: { nextRunAt: 1 }, partialFilterExpression: { running: true } },
    { name: 'byEndpoint', key: { endpointId: 1, sandbox: 1, createdAt: -1, _id: -1, businessId: 1 } },
    { name: 'ofDay', key: { businessId: 1, sandbox: 1, day: 1, numberOfDay: 1 }, unique: true },
    { name: 'expired', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
})
export type Replay = Stored<typeof replays>

const dayMs = 86_400_000
/** Test replays are kept as long as other test data. */
const keptDays = { test: 30, live: 90 } as const

export const ended = (sandbox: boolean, now: Date) => ({
  nextRunAt: null,
  finishedAt: now,
  expiresAt: new Date(now.getTime() + (sandbox ? keptDays.test : keptDays.live) * dayMs),
})

type PresentableReplay = Omit<
  Replay,
  | 'through'
  | 'running'
  | 'reached'
  | 'nextRunAt'
  | 'leaseToken'
  | 'startedBy'
  | 'day'
  | 'numberOfDay'
  | 'expiresAt'
>

export function presentReplay(replay: PresentableReplay) {
  const { _id: id, endpointId, status, cancellationReason, from, to, events, onlyUndelivered } = replay
  const { total, requeued, created, skipped, sandbox, createdAt, finishedAt } = replay
  const about = {
    id,
    endpointId,
    status,
    cancellationReason,
    from,
    to,
    events,
    onlyUndelivered,
    dryRun: false,
  }
  return { ...about, total, requeued, created, skipped, sandbox, createdAt, finishedAt }
}

export type PresentedReplay = ReturnType<typeof presentReplay>
