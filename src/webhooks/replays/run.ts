import { setTimeout as pause } from 'node:timers/promises'
import type { ReplayCancellation } from '../../../schemas/responses/replay.ts'
import type { Deps } from '../../deps.ts'
import { noDeadline } from '../../mongo/batching/batcher.ts'
import type { CountsByOwner } from '../../process/counts-by-owner.ts'
import { beginAttempts } from '../attempts/attempt-due.ts'
import { type AttemptEndpoint, slotOwner } from '../attempts/find-endpoint.ts'
import type { Slot } from '../attempts/slots/slot.ts'
import { claimable } from '../deliveries/lease.ts'
import { isReceiving } from '../endpoints/endpoint.ts'
import { applyPage } from './apply-page.ts'
import { endReplay, type LeasedReplay, recordProgress, releaseReplay } from './lease.ts'
import type { Replay } from './replay.ts'
import { readSelected } from './selected-events.ts'

/**
 * The minimum time between the starts of two pages, and the maximum number of attempts per page. Together, they limit a
 * replay to 200 attempts per second.
 */
const pageEveryMs = 100
const maxPerPage = 20
/** The maximum number of attempts of one replay that are in flight. */
const maxInFlight = 20
/**
 * A replay waits while this many deliveries to its endpoint are due. Some of them may be new deliveries, which come
 * first. Deliveries that wait for the time of their next attempt do not count.
 */
const maxDue = 10
/** The number of events that one page reads if most of their deliveries may be left out. */
const maxReadPerPage = 500
/** After this time, the worker gives the replay back, so that the other replays advance too. */
const sliceMs = 5_000
/** If the endpoint accepts no further attempts for this long, the worker gives the replay back for `restMs`. */
const maxBlockedMs = 500
const restMs = 1_000

/**
 * Runs a replay for up to `sliceMs`, page by page. For each page, re-queues or inserts as many deliveries as attempts
 * can start now, records the progress, and starts the attempts. A replay uses at most half of the slots that its
 * endpoint has left, so that new deliveries find a slot. If the process is killed between two steps, another worker
 * repeats the page. `inFlight` counts the attempts in flight of each endpoint's replays.
 */
export async function runReplay(
  deps: Deps,
  leased: LeasedReplay,
  inFlight: CountsByOwner,
  ending: AbortSignal,
): Promise<void> {
  let replay = leased
  let progressAt = performance.now()
  const endsAt = progressAt + sliceMs
  while (!ending.aborted && performance.now() < Math.min(endsAt, progressAt + maxBlockedMs)) {
    const beganAt = performance.now()
    await deps.databaseTime.unsure()
    const endpoint = await deps.batchers.findEndpoint(replay.endpointId, noDeadline)
    if (endpoint === null || !isReceiving(endpoint)) return end(deps, replay, 'endpoint_gone')
    const most = await maxAttempts(deps, endpoint, inFlight)
    if (most > 0) {
      const next = await runPage(deps, replay, endpoint, most, inFlight)
      if (next === null) return
      replay = next
      progressAt = performance.now()
    }
    const leftMs = pageEveryMs - (performance.now() - beganAt)
    await pause(Math.max(0, leftMs), undefined, { signal: ending }).catch(() => undefined)
  }
  await releaseReplay(deps, replay, performance.now() < endsAt && !ending.aborted ? restMs : 0)
}

/** Processes the next events. Returns the replay, or null if it has ended or belongs to another worker. */
async function runPage(
  deps: Deps,
  replay: LeasedReplay,
  endpoint: AttemptEndpoint,
  most: number,
  inFlight: CountsByOwner,
): Promise<LeasedReplay | null> {
  const events = await readSelected(deps, replay, replay.onlyUndelivered ? maxReadPerPage : most)
  if (events.length === 0) {
    await end(deps, replay, null)
    return null
  }
  const { last, counts, dueIds } = await applyPage(deps, replay, endpoint, events, most)
  const reached = { createdAt: last.createdAt, eventId: last._id }
  const next = await recordProgress(deps, replay, reached, counts)
  await beginAttempts(deps, slotOwner(endpoint), dueIds, (slot) => counted(slot, endpoint._id, inFlight))
  return next?.status === 'RUNNING' ? next : null
}

/** Returns the maximum number of attempts that the replay may start now. */
async function maxAttempts(deps: Deps, endpoint: AttemptEndpoint, inFlight: CountsByOwner): Promise<number> {
  const most = Math.min(
    maxPerPage,
    maxInFlight - inFlight.of(endpoint._id),
    Math.floor(deps.slots.available(slotOwner(endpoint)) / 2),
  )
  if (most <= 0) return 0
  const due = await deps.Delivery.countDocuments(
    { endpointId: endpoint._id, ...claimable(deps.now()) },
    { hint: 'openByEndpoint', limit: maxDue },
  )
  return due < maxDue ? most : 0
}

/** Counts a slot as long as it is in use. */
function counted(slot: Slot, endpointId: string, inFlight: CountsByOwner): Slot {
  let isFree = false
  inFlight.add(endpointId, 1)
  return {
    count: (body) => slot.count(body),
    free(delivered) {
      if (!isFree) inFlight.add(endpointId, -1)
      isFree = true
      slot.free(delivered)
    },
  }
}

async function end(deps: Deps, leased: LeasedReplay, reason: ReplayCancellation | null): Promise<void> {
  const replay = await endReplay(deps, leased, reason)
  if (replay !== null) logEnd(deps, replay)
}

/** Writes the log line of a replay that has ended. */
export function logEnd({ log }: Pick<Deps, 'log'>, replay: Replay): void {
  const { _id: replayId, endpointId, businessId, sandbox, status, total, requeued, created, skipped } = replay
  log.info({ replayId, endpointId, businessId, sandbox, status, total, requeued, created, skipped }, 'replay.ended')
}
