import type { mongo } from 'mongoose'
import type { EventName } from '../../schemas/events.ts'
import type { ReplayCancellation, ReplayStatus } from '../../schemas/responses/webhooks.ts'
import { type AuditContext, type AuditedDeps, runAudited, runAuditedOnce } from '../audit/audited.ts'
import { type Caller, requireOwned } from '../businesses/caller.ts'
import { countAuditLine } from '../businesses/quotas.ts'
import type { OperationResult, WriteRequest } from '../idempotency/request.ts'
import { type Page, type PageRequest, readPage } from '../lists/pagination.ts'
import { rawCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import * as field from '../mongo/fields.ts'
import type { Deps, Models } from '../platform/deps.ts'
import { dayMs } from '../platform/time.ts'
import { type Author, actorFields } from '../security/actor.ts'
import { findEndpoint } from '../webhooks/endpoints/find.ts'

/** The period includes both ends. */
const selectionFields = field.part({
  businessId: field.text,
  sandbox: field.flag,
  from: field.date,
  to: field.date,
  events: field.list(field.oneOf<EventName>()),
  /** Events logged after the start aren't replayed, so a replay always ends. */
  through: field.whole,
})
export type EventSelection = field.ValueOfField<typeof selectionFields>

const countFields = field.part({
  requeued: field.whole,
  created: field.whole,
  /** For example, events whose delivery is DELIVERED, due or in flight. */
  skipped: field.whole,
})
export type ReplayCounts = field.ValueOfField<typeof countFields>

export const replays = declareCollection({
  name: 'webhookreplays',
  kept: 'until it expires, 30 days (test) or 90 days (live) after its end',
  fields: {
    ...selectionFields.fields,
    ...countFields.fields,
    _id: field.text,
    endpointId: field.text,
    onlyUndelivered: field.flag,
    total: field.whole,
    status: field.oneOf<ReplayStatus>(),
    /** Unique, so each endpoint has at most one running replay. */
    running: field.optional(field.flag),
    cancellationReason: field.orNull(field.oneOf<ReplayCancellation>()),
    reached: field.orNull(field.part({ createdAt: field.date, eventId: field.text })),
    /** When the replay is due or its lease ends. Null once it has ended. */
    nextRunAt: field.orNull(field.date),
    /** Only the holder of this token may record progress. */
    leaseToken: field.orNull(field.text),
    startedBy: actorFields,
    createdAt: field.date,
    /** Unique with `numberOfDay` per business and environment. */
    day: field.whole,
    numberOfDay: field.whole,
    finishedAt: field.orNull(field.date),
    expiresAt: field.optional(field.date),
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

const keptDays = { test: 30, live: 90 } as const

export const replayEndFields = (sandbox: boolean, now: Date) => ({
  nextRunAt: null,
  finishedAt: now,
  expiresAt: new Date(now.getTime() + (sandbox ? keptDays.test : keptDays.live) * dayMs),
})

type Hidden = 'reached' | 'nextRunAt' | 'leaseToken' | 'startedBy' | 'day' | 'numberOfDay'

export function presentReplay(replay: Omit<Replay, Hidden>) {
  const { _id: id, endpointId, status, cancellationReason, from, to, events, onlyUndelivered } = replay
  const { total, requeued, created, skipped, sandbox, createdAt, finishedAt } = replay
  const about = { id, endpointId, status, cancellationReason, from, to, events, onlyUndelivered }
  return { ...about, dryRun: false, total, requeued, created, skipped, sandbox, createdAt, finishedAt }
}

export type PresentedReplay = ReturnType<typeof presentReplay>

export async function findReplay(
  deps: Pick<Deps, 'Replay'>,
  caller: Caller,
  endpointId: string,
  id: string,
  session?: mongo.ClientSession,
): Promise<Replay> {
  const own = { _id: id, endpointId, businessId: caller.businessId }
  const replay = await rawCollection(deps.Replay).findOne(own, { ...(session && { session }) })
  return requireOwned(caller, replay, 'REPLAY_NOT_FOUND')
}

export async function listReplays(
  deps: Pick<Deps, 'Replay' | 'Endpoint'>,
  caller: Caller,
  endpointId: string,
  slice: PageRequest,
): Promise<Page<Replay>> {
  await findEndpoint(deps, caller, endpointId)
  const { businessId, sandbox } = caller
  const where = { endpointId, sandbox, businessId }
  return readPage<Replay>(deps.Replay, { where, index: 'byEndpoint' }, slice)
}

const maxLatest = 10

/** The index requires a filter on `sandbox`. */
export const findLatestReplays = ({ Replay }: Pick<Deps, 'Replay'>, endpointId: string): Promise<Replay[]> =>
  Replay.find({ endpointId, sandbox: { $in: [true, false] } })
    .sort({ createdAt: -1, _id: -1 })
    .limit(maxLatest)
    .lean<Replay[]>()

/** Used by staff. Attempts that are already due are still made. */
export const cancelReplay = (
  deps: Pick<Models, 'Replay'> & AuditedDeps,
  { _id }: Pick<Replay, '_id'>,
  by: Author,
): Promise<void> =>
  runAudited(deps, { documents: [_id], by }, async (act) => {
    const replay = await rawCollection(deps.Replay).findOne({ _id }, { session: act.session })
    if (replay !== null) await endRunning(deps, replay, act)
  })

export async function cancelMerchantReplay(
  deps: Parameters<typeof runAuditedOnce>[0] & Pick<Deps, 'Replay' | 'counters' | 'config'>,
  caller: Caller,
  endpointId: string,
  id: string,
  request: WriteRequest,
): Promise<OperationResult> {
  let addsLine = false
  const result = await runAuditedOnce(deps, request, { documents: [id] }, async (act) => {
    const replay = await findReplay(deps, caller, endpointId, id, act.session)
    addsLine = replay.status === 'RUNNING'
    return presentReplay(await endRunning(deps, replay, act))
  })
  if (addsLine) countAuditLine(deps, caller)
  return result
}

async function endRunning(
  { Replay: model }: Pick<Models, 'Replay'>,
  replay: Replay,
  { session, at, add }: AuditContext,
): Promise<Replay> {
  if (replay.status !== 'RUNNING') return replay
  const { _id, endpointId, businessId, sandbox } = replay
  const cancelled = { status: 'CANCELLED', cancellationReason: 'requested' } as const
  const set = { ...cancelled, ...replayEndFields(sandbox, at) }
  await rawCollection(model).updateOne({ _id }, { $set: set, $unset: { running: 1 } }, { session })
  await add({
    act: 'endpoint.replay-cancelled',
    subject: endpointId,
    businessId,
    before: { status: 'RUNNING' },
    after: { replayId: _id, status: 'CANCELLED' },
  })
  return { ...replay, ...set }
}
