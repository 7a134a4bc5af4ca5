import { type AuditedAct, type AuditedDeps, audited, auditedOnce } from '../audit/audited.ts'
import type { Caller } from '../businesses/caller.ts'
import { countAuditLine } from '../businesses/quotas.ts'
import type { Result, WriteRequest } from '../idempotency/request.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Deps, Models } from '../platform/deps.ts'
import type { By } from '../security/actor.ts'
import { findReplay } from './find.ts'
import { ended, presentReplay, type Replay } from './replay.ts'

/** For staff. The worker stops within a second. Attempts that are due already are still made. */
export const cancelReplay = (
  deps: Pick<Models, 'Replay'> & AuditedDeps,
  { _id }: Pick<Replay, '_id'>,
  by: By,
): Promise<void> =>
  audited(deps, { documents: [_id], by }, async (act) => {
    const replay = await nativeCollection(deps.Replay).findOne({ _id }, { session: act.session })
    if (replay !== null) await endRunning(deps, replay, act)
  })

export async function cancelOwnReplay(
  deps: Parameters<typeof auditedOnce>[0] & Pick<Deps, 'Replay' | 'counters' | 'config'>,
  caller: Caller,
  endpointId: string,
  id: string,
  request: WriteRequest,
): Promise<Result> {
  let addsLine = false
  const result = await auditedOnce(deps, request, { documents: [id] }, async (act) => {
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
  { session, at, add }: AuditedAct,
): Promise<Replay> {
  if (replay.status !== 'RUNNING') return replay
  const { _id, endpointId, businessId, sandbox } = replay
  const set = { status: 'CANCELLED', cancellationReason: 'requested', ...ended(sandbox, at) } as const
  await nativeCollection(model).updateOne({ _id }, { $set: set, $unset: { running: 1 } }, { session })
  await add({
    act: 'endpoint.replay-cancelled',
    subject: endpointId,
    businessId,
    before: { status: 'RUNNING' },
    after: { replayId: _id, status: 'CANCELLED' },
  })
  return { ...replay, ...set }
}
