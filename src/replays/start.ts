import type { mongo } from 'mongoose'
import { replayEndpointBody } from '../../schemas/endpoints.ts'
import type { EventName } from '../../schemas/events.ts'
import { type AuditContext, type AuditedDeps, runAudited, runAuditedOnce } from '../audit/audited.ts'
import type { Caller } from '../businesses/caller.ts'
import { hasNewEffect, type QuotaDeps, withAuditQuota, withStorageQuota } from '../businesses/quotas.ts'
import { findLastEventNumber } from '../events/feed/read.ts'
import type { OperationResult, WriteRequest } from '../idempotency/request.ts'
import { endSpanNow, readSpan } from '../input/span.ts'
import { refuseUsedUp } from '../limits/counter.ts'
import { measureBson, rawCollection } from '../mongo/collection.ts'
import type { Deps, Models } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { startOfUtcDay, utcDayNumber } from '../platform/time.ts'
import type { Author } from '../security/actor.ts'
import { type Endpoint, receivesEvents } from '../webhooks/endpoints/endpoint.ts'
import { checkEventScopes, findEndpoint } from '../webhooks/endpoints/find.ts'
import { type EventSelection, presentReplay, type Replay } from './replay.ts'
import { countSelectedEvents, countUndelivered } from './selected-events.ts'

export interface ReplayRequest {
  from: Date
  to: Date | null
  events: EventName[] | null
  onlyUndelivered: boolean
}

export type PlannedReplay = ReplayRequest & EventSelection & Pick<Replay, 'endpointId' | 'total'>

export const maxReplaysPerDay = 100
/** A replay to a new endpoint creates a delivery for each event. */
export const maxReplayEventsPerDay = 1_000_000

export const replayLimitRow = {
  what: 'Replays per UTC day and environment; one at a time per endpoint',
  limit: `${maxReplaysPerDay} and one million events per business`,
  gets: '429 `replays`',
}
/** A running replay may take much longer than this. */
const retryAfterMs = 60_000

/** Throws ENDPOINT_NOT_ACTIVE, INVALID_WEBHOOK_EVENT and VALIDATION_ERROR. */
export async function planReplay(
  deps: Pick<Models, 'LoggedEvent'> & { now(): Date },
  endpoint: Pick<Endpoint, '_id' | 'businessId' | 'sandbox' | 'events' | 'active' | 'deletedAt'>,
  request: ReplayRequest,
  count = (selection: EventSelection): Promise<number> => countSelectedEvents(deps, selection),
): Promise<PlannedReplay> {
  if (!receivesEvents(endpoint)) throw refuse('ENDPOINT_NOT_ACTIVE')
  const { from } = request
  const to = endSpanNow(deps, request).to ?? deps.now()
  if (from > to)
    throw refuse('VALIDATION_ERROR', {
      param: 'from',
      message: 'from must not be later than to, or in the future.',
    })
  const { businessId, sandbox } = endpoint
  const events = request.events ?? endpoint.events
  const others = events.filter((event) => !endpoint.events.includes(event))
  if (others.length > 0)
    throw refuse('INVALID_WEBHOOK_EVENT', {
      param: 'events',
      message: `The endpoint is not subscribed to ${others.join(', ')}. Change the endpoint's events first.`,
      details: { events: others },
    })
  const selection = { businessId, sandbox, from, to, events }
  const planned = { ...selection, through: await findLastEventNumber(deps, { businessId, sandbox }, {}) }
  return { ...request, ...planned, endpointId: endpoint._id, total: await count(planned) }
}

export const startReplay = (
  deps: Pick<Models, 'Endpoint' | 'Replay'> & AuditedDeps,
  planned: PlannedReplay,
  by: Author,
): Promise<Replay> =>
  runAudited(deps, { documents: [planned.businessId], by }, (act) => insertReplay(deps, planned, act))

/** Throws ENDPOINT_NOT_ACTIVE and RATE_LIMITED. */
export async function insertReplay(
  deps: Pick<Models, 'Endpoint' | 'Replay'>,
  planned: PlannedReplay,
  { session, by, at: now, add }: AuditContext,
): Promise<Replay> {
  // If the endpoint is being deleted or disabled, this write conflicts.
  const receiving = { _id: planned.endpointId, active: true, deletedAt: null }
  const endpoints = rawCollection(deps.Endpoint)
  const { matchedCount } = await endpoints.updateOne(receiving, { $set: { replayedAt: now } }, { session })
  if (matchedCount === 0) throw refuse('ENDPOINT_NOT_ACTIVE')
  const replays = rawCollection(deps.Replay)
  const running = { endpointId: planned.endpointId, running: true } as const
  if ((await replays.findOne(running, { projection: { _id: 1 }, session })) !== null)
    throw refuseUsedUp(
      'A replay to this endpoint is already running. Wait for it to end, or cancel it.',
      { scope: 'replays', limit: 1 },
      { freeAt: new Date(now.getTime() + retryAfterMs), now },
    )
  const replay: Replay = {
    _id: newId(),
    ...planned,
    ...unstarted,
    running: true,
    reached: null,
    nextRunAt: now,
    leaseToken: null,
    startedBy: by.actor,
    createdAt: now,
    day: utcDayNumber(now),
    numberOfDay: await takeNumber(deps, planned, now, session),
  }
  await replays.insertOne(replay, { session })
  const { endpointId, businessId, from, to, events, onlyUndelivered, sandbox, total } = planned
  const after = { replayId: replay._id, from, to, events, onlyUndelivered, sandbox, total }
  await add({ act: 'endpoint.replayed', subject: endpointId, businessId, after })
  return replay
}

async function takeNumber(
  { Replay: model }: Pick<Models, 'Replay'>,
  { businessId, sandbox, total }: PlannedReplay,
  now: Date,
  session: mongo.ClientSession,
): Promise<number> {
  const day = utcDayNumber(now)
  const options = { projection: { total: 1 }, hint: 'ofDay', limit: maxReplaysPerDay, session } as const
  const started = await rawCollection(model).find({ businessId, sandbox, day }, options).toArray()
  const events = started.reduce((sum, each) => sum + each.total, total)
  if (started.length < maxReplaysPerDay && events <= maxReplayEventsPerDay) return started.length + 1
  const isLarge = started.length < maxReplaysPerDay
  const limit = isLarge ? maxReplayEventsPerDay : maxReplaysPerDay
  const message = isLarge
    ? `A business can replay up to ${limit} events per UTC day. Choose a shorter period, or wait until the next day.`
    : `A business can start ${limit} replays per UTC day. Wait until the next day.`
  throw refuseUsedUp(message, { scope: 'replays', limit }, { freeAt: startOfUtcDay(day + 1), now })
}

type ReplayBody = ReplayRequest & { dryRun: boolean }

export function parseReplayBody(deps: Pick<Deps, 'validate'>, body: unknown): ReplayBody {
  const input = deps.validate(replayEndpointBody, body)
  const { from, to } = readSpan(input)
  return {
    from: from ?? new Date(0),
    to,
    events: input.events === undefined ? null : [...new Set(input.events as EventName[])],
    onlyUndelivered: input.onlyUndelivered ?? false,
    dryRun: input.dryRun ?? false,
  }
}

export async function requestReplay(
  deps: QuotaDeps &
    Parameters<typeof runAuditedOnce>[0] &
    Pick<Deps, 'Endpoint' | 'LoggedEvent' | 'Replay' | 'lists'>,
  caller: Caller,
  endpointId: string,
  { dryRun, ...wanted }: ReplayBody,
  request: WriteRequest,
): Promise<OperationResult> {
  const endpoint = await findEndpoint(deps, caller, endpointId)
  checkEventScopes(caller, wanted.events ?? endpoint.events, 'events')
  // Dry runs count as lists, because a client can repeat them endlessly.
  const { undelivered, ...planned } = await deps.lists.readAndAct(
    caller.businessId,
    async (models) => {
      const count = (selection: EventSelection) => countSelectedEvents(models, selection)
      const counted = await planReplay(deps, endpoint, wanted, count)
      return { ...counted, undelivered: dryRun ? await countUndelivered(counted, models) : null }
    },
    async (found) => found,
  )
  if (dryRun) {
    const replay = presentReplay({ ...planned, ...unstarted, _id: '', createdAt: deps.now() })
    return { kind: 'none', data: { ...replay, id: null, status: null, dryRun: true, undelivered } }
  }
  const start = () =>
    withStorageQuota(deps, caller, (reserve) =>
      runAuditedOnce(deps, request, { documents: [caller.businessId] }, async (act) => {
        const replay = await insertReplay(deps, planned, act)
        await reserve({ others: 1, bytes: measureBson(replay) })
        return { ...presentReplay(replay), undelivered }
      }),
    )
  return withAuditQuota(deps, caller, start, hasNewEffect)
}

const unstarted = {
  status: 'RUNNING',
  cancellationReason: null,
  requeued: 0,
  created: 0,
  skipped: 0,
  finishedAt: null,
} as const
