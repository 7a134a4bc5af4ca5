import type { Model } from 'mongoose'
import type { EventName } from '../../schemas/events.ts'
import type { ReplayCancellation, ReplayStatus } from '../../schemas/responses/webhooks.ts'
import type { Collection } from '../mongo/collection.ts'
import type { Actor } from '../security/actor.ts'

declare module '../platform/deps.ts' {
  interface Models {
    Replay: Model<Replay>
  }
}

/** The events of a business and environment that a replay covers. Both ends of the period are included. */
export interface EventSelection {
  businessId: string
  sandbox: boolean
  from: Date
  to: Date
  events: EventName[]
  /**
   * The number of the last event in the log when the replay started. Later events are not part of the replay, so a
   * replay always ends.
   */
  through: number
}

/** The results of a replay so far. Each processed event counts once. */
export interface ReplayCounts {
  /** The deliveries that existed and were re-queued. */
  requeued: number
  /** The deliveries that did not exist and were inserted. */
  created: number
  /** The deliveries that were left unchanged, because they were DELIVERED or an attempt was due or running. */
  skipped: number
}

/**
 * A replay sends the events of a period to one endpoint again. A worker holds the lease while it processes some of the
 * events, and then gives it back, so that all replays advance.
 */
export interface Replay extends EventSelection, ReplayCounts {
  _id: string
  endpointId: string
  /** Whether deliveries that the endpoint has accepted are left out. */
  onlyUndelivered: boolean
  /** The number of events in the selection. */
  total: number
  status: ReplayStatus
  /** Set as long as the replay is RUNNING. An endpoint can have only one such replay. */
  running?: true
  cancellationReason: ReplayCancellation | null
  /** The last event that has been processed, or null at the beginning. Events are processed in order of time and id. */
  reached: { createdAt: Date; eventId: string } | null
  /**
   * The time from which a worker may take the lease. While a worker holds the lease, this is the end of the lease. Null
   * if the replay is not RUNNING.
   */
  nextRunAt: Date | null
  /** The token of the lease. Only its holder may record progress. A cancelled replay keeps it for the last page. */
  leaseToken: string | null
  startedBy: Actor
  createdAt: Date
  /** The UTC day on which the replay was started, and its number among those of the business and environment. */
  day: number
  numberOfDay: number
  finishedAt: Date | null
  /** When MongoDB removes the replay. Missing as long as the replay is RUNNING. */
  expiresAt?: Date
}

export const replays: Collection = {
  name: 'webhookreplays',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    endpointId: String,
    from: Date,
    to: Date,
    events: [String],
    through: Number,
    onlyUndelivered: Boolean,
    total: Number,
    requeued: Number,
    created: Number,
    skipped: Number,
    status: String,
    running: Boolean,
    cancellationReason: String,
    reached: { type: { _id: false, createdAt: Date, eventId: String }, default: null },
    nextRunAt: Date,
    leaseToken: String,
    startedBy: { kind: { type: String }, name: String, from: String },
    createdAt: Date,
    day: Number,
    numberOfDay: Number,
    finishedAt: Date,
    expiresAt: Date,
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
}

const dayMs = 86_400_000
/** How many days a replay is kept after its end. Test replays are kept as long as other test data. */
const keptDays = { test: 30, live: 90 } as const

/** Returns the changes that end a replay. */
export const ended = (sandbox: boolean, now: Date) => ({
  nextRunAt: null,
  finishedAt: now,
  expiresAt: new Date(now.getTime() + (sandbox ? keptDays.test : keptDays.live) * dayMs),
})

/** The fields of a replay that the API presents. */
type PresentableReplay = Omit<
  Replay,
  'through' | 'running' | 'reached' | 'nextRunAt' | 'leaseToken' | 'startedBy' | 'day' | 'numberOfDay' | 'expiresAt'
>

/** Returns a replay as the API presents it. */
export function presentReplay(replay: PresentableReplay) {
  const { _id: id, endpointId, status, cancellationReason, from, to, events, onlyUndelivered } = replay
  const { total, requeued, created, skipped, sandbox, createdAt, finishedAt } = replay
  const about = { id, endpointId, status, cancellationReason, from, to, events, onlyUndelivered, dryRun: false }
  return { ...about, total, requeued, created, skipped, sandbox, createdAt, finishedAt }
}

export type PresentedReplay = ReturnType<typeof presentReplay>
