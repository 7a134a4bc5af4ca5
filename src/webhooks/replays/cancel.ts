import { auditLine, type By } from '../../audit/audit-event.ts'
import { publishAudit } from '../../audit/publish.ts'
import { byCaller, type Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { findReplay } from './find.ts'
import { ended, type Replay } from './replay.ts'

/**
 * Cancels a running replay and adds the audit line, in one guarded write. The worker stops within a second. Deliveries
 * that the replay has already made due are still attempted. Does nothing if the replay is not RUNNING.
 */
export async function cancelReplay(
  deps: Pick<Models, 'Replay' | 'AuditEvent'> & { now(): Date },
  { _id, endpointId, businessId, sandbox }: Pick<Replay, '_id' | 'endpointId' | 'businessId' | 'sandbox'>,
  by: By,
): Promise<void> {
  const now = deps.now()
  const line = auditLine({
    at: now,
    ...by,
    act: 'endpoint.replay-cancelled',
    subject: endpointId,
    businessId,
    before: { status: 'RUNNING' },
    after: { replayId: _id, status: 'CANCELLED' },
  })
  const cancelled = await nativeCollection(deps.Replay).findOneAndUpdate(
    { _id, status: 'RUNNING' },
    {
      $set: { status: 'CANCELLED', cancellationReason: 'requested', ...ended(sandbox, now) },
      $unset: { running: 1 },
      $push: { unaudited: line },
    },
    { returnDocument: 'after' },
  )
  if (cancelled !== null) await publishAudit(deps, deps.Replay, [cancelled])
}

/** Cancels one of the caller's replays and returns it. Throws the same errors as `findReplay`. */
export async function cancelOwnReplay(
  deps: Pick<Deps, 'Replay' | 'AuditEvent' | 'now'>,
  caller: Caller,
  endpointId: string,
  id: string,
): Promise<Replay> {
  await cancelReplay(deps, await findReplay(deps, caller, endpointId, id), byCaller(caller))
  return findReplay(deps, caller, endpointId, id)
}
