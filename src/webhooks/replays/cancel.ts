import type { mongo } from 'mongoose'
import { addLines } from '../../audit/add-lines.ts'
import { auditLine, type By } from '../../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../../audit/audited.ts'
import { byCaller, type Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { once, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { findReplay } from './find.ts'
import { presentReplay } from './present.ts'
import { ended, type Replay } from './replay.ts'

type CancelDeps = Pick<Models, 'Replay' | 'AuditEvent'> & { now(): Date }

/**
 * Cancels a running replay for staff. The worker stops within a second. Deliveries that the replay has already made due
 * are still attempted. Does nothing if the replay is not RUNNING.
 */
export const cancelReplay = (deps: CancelDeps & AuditedDeps, { _id }: Pick<Replay, '_id'>, by: By): Promise<void> =>
  audited(deps, { documents: [_id], by }, async ({ session }) => {
    const replay = await nativeCollection(deps.Replay).findOne({ _id }, { session })
    if (replay !== null) await endRunning(deps, replay, by, session)
  })

/** Cancels one of the caller's replays and returns it. Throws the same errors as `findReplay`. */
export const cancelOwnReplay = (
  deps: Pick<Deps, 'Replay' | 'AuditEvent' | 'StoredResponse' | 'transactions' | 'now'>,
  caller: Caller,
  endpointId: string,
  id: string,
  request: WriteRequest,
): Promise<Result> =>
  once(deps, request, { documents: [id] }, async (session) => {
    const replay = await findReplay(deps, caller, endpointId, id, session)
    return presentReplay(await endRunning(deps, replay, byCaller(caller), session))
  })

async function endRunning(deps: CancelDeps, replay: Replay, by: By, session: mongo.ClientSession): Promise<Replay> {
  if (replay.status !== 'RUNNING') return replay
  const now = deps.now()
  const { _id, endpointId, businessId, sandbox } = replay
  const set = { status: 'CANCELLED', cancellationReason: 'requested', ...ended(sandbox, now) } as const
  await nativeCollection(deps.Replay).updateOne({ _id }, { $set: set, $unset: { running: 1 } }, { session })
  const line = auditLine({
    at: now,
    ...by,
    act: 'endpoint.replay-cancelled',
    subject: endpointId,
    businessId,
    before: { status: 'RUNNING' },
    after: { replayId: _id, status: 'CANCELLED' },
  })
  await addLines(deps, [line], session)
  return { ...replay, ...set }
}
