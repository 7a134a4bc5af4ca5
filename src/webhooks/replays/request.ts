import { replayEndpointBody } from '../../../schemas/endpoints.ts'
import type { EventName } from '../../../schemas/events.ts'
import type { Caller } from '../../businesses/caller.ts'
import { isEffect, type QuotaDeps, withinAuditLines, withinStorage } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { once, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { readSpan } from '../../input/span.ts'
import { bytesOf } from '../../mongo/bytes-of.ts'
import { permitEvents } from '../endpoints/event-permission.ts'
import { findEndpoint } from '../endpoints/find.ts'
import { presentReplay } from './present.ts'
import { countSelected } from './selected-events.ts'
import { insertReplay, planReplay, type ReplayRequest } from './start.ts'
import { countUndelivered } from './undelivered.ts'

/** Validates the body of a request for a replay. */
export function parseReplay(deps: Pick<Deps, 'validate'>, body: unknown): ReplayRequest & { dryRun: boolean } {
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

/**
 * Starts a replay for one of the caller's endpoints or, in a dry run, only counts its events. Throws
 * EVENTS_NOT_PERMITTED if the caller's scopes do not allow all of the events, and the same errors as `findEndpoint`,
 * `planReplay` and `insertReplay`.
 */
export async function requestReplay(
  deps: QuotaDeps &
    Pick<Deps, 'Endpoint' | 'LoggedEvent' | 'Replay' | 'AuditEvent' | 'StoredResponse' | 'transactions' | 'lists'>,
  caller: Caller,
  endpointId: string,
  { dryRun, ...wanted }: ReturnType<typeof parseReplay>,
  request: WriteRequest,
): Promise<Result> {
  const endpoint = await findEndpoint(deps, caller, endpointId)
  permitEvents(caller, wanted.events ?? endpoint.events, 'events')
  // Counts are limited like lists, because a dry run can be repeated without end.
  const { undelivered, ...planned } = await deps.lists.readAndAct(
    caller.businessId,
    async (models) => {
      const counted = await planReplay(deps, endpoint, wanted, (selection) => countSelected(models, selection))
      return { ...counted, undelivered: dryRun ? await countUndelivered(counted, models) : null }
    },
    async (found) => found,
  )
  if (dryRun) {
    const replay = presentReplay({ ...planned, ...unstarted, _id: '', createdAt: deps.now() })
    return { kind: 'none', data: { ...replay, id: null, status: null, dryRun: true, undelivered } }
  }
  const start = () =>
    withinStorage(deps, caller, (reserve) =>
      once(deps, request, { documents: [caller.businessId] }, async (act) => {
        const replay = await insertReplay(deps, planned, act)
        await reserve({ others: 1, bytes: bytesOf(replay) })
        return { ...presentReplay(replay), undelivered }
      }),
    )
  return withinAuditLines(deps, caller, start, isEffect)
}

/** The fields of a dry run that would change while the replay runs. */
const unstarted = {
  status: 'RUNNING',
  cancellationReason: null,
  requeued: 0,
  created: 0,
  skipped: 0,
  finishedAt: null,
} as const
