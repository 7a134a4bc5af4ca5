import type { EventName } from '../../../schemas/events.ts'
import { type ReplayEndpointBody, replayEndpointBody } from '../../../schemas/replay-endpoint.ts'
import { byCaller, type Caller } from '../../businesses/caller.ts'
import type { Deps } from '../../deps.ts'
import type { Effect } from '../../idempotency/effect.ts'
import { readSpan } from '../../input/span.ts'
import type { Models } from '../../mongo/models.ts'
import { permitEvents } from '../endpoints/event-permission.ts'
import { findEndpoint } from '../endpoints/find.ts'
import { type PresentableReplay, presentReplay } from './present.ts'
import { countSelected } from './selected-events.ts'
import { planReplay, type ReplayRequest, startReplay } from './start.ts'
import { countUndelivered } from './undelivered.ts'

/** Validates the body of a request for a replay. */
export function parseReplay(deps: Pick<Deps, 'validate'>, body: unknown): ReplayRequest & { dryRun: boolean } {
  const input = deps.validate<ReplayEndpointBody>(replayEndpointBody, body)
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
 * `planReplay` and `startReplay`.
 */
export async function requestReplay(
  deps: Pick<Deps, 'Endpoint' | 'LoggedEvent' | 'Replay' | 'AuditEvent' | 'lists' | 'now'>,
  caller: Caller,
  endpointId: string,
  { dryRun, ...request }: ReturnType<typeof parseReplay>,
  effect: Effect,
): Promise<Record<string, unknown>> {
  const earlier = await deps.Replay.findOne({ _id: effect.id }).lean<PresentableReplay | null>()
  if (earlier !== null) return { ...presentReplay({ ...earlier, ...unstarted }), undelivered: null }
  const endpoint = await findEndpoint(deps, caller, endpointId)
  permitEvents(caller, request.events ?? endpoint.events, 'events')
  const isGone = (): boolean => performance.now() > effect.deadlineAt
  const read = <T>(query: (models: Models) => Promise<T>): Promise<T> =>
    deps.lists.run(`business ${caller.businessId}`, isGone, query)
  // Counts are limited like lists, because a dry run can be repeated without end.
  const { undelivered, ...planned } = await deps.lists.shares.run(caller.businessId, isGone, async () => {
    const counted = await planReplay(deps, endpoint, request, (selection) =>
      read((models) => countSelected(models, selection)),
    )
    return { ...counted, undelivered: dryRun ? await countUndelivered(counted, read) : null }
  })
  if (dryRun)
    return {
      ...presentReplay({ ...planned, ...unstarted, _id: effect.id, createdAt: deps.now() }),
      id: null,
      status: null,
      dryRun: true,
      undelivered,
    }
  const replay = await startReplay(deps, planned, effect.id, byCaller(caller))
  return { ...presentReplay({ ...replay, ...unstarted }), undelivered }
}

/** The fields that change while a replay runs, as the first response contains them. */
const unstarted = {
  status: 'RUNNING',
  cancellationReason: null,
  requeued: 0,
  created: 0,
  skipped: 0,
  finishedAt: null,
} as const
