import { setTimeout as pause } from 'node:timers/promises'
import type { EventName } from '../../schemas/events.ts'
import type { ReplayCancellation } from '../../schemas/responses/webhooks.ts'
import { countStorage } from '../businesses/quotas.ts'
import type { LoggedEvent } from '../events/log.ts'
import { noDeadline } from '../mongo/batchers.ts'
import { measureBson, rawCollection } from '../mongo/collection.ts'
import { writeIfUnlocked } from '../mongo/transaction.ts'
import type { Deps } from '../platform/deps.ts'
import type { AttemptDeps, AttemptEndpoint } from '../webhooks/attempts/attempt.ts'
import { beginAttempts } from '../webhooks/attempts/attempt-due.ts'
import { slotOwnerOf } from '../webhooks/attempts/slots.ts'
import { leasableFilter, makeDeliveryId, newDelivery } from '../webhooks/deliveries/delivery.ts'
import { readForRequeue, requeueForReplay } from '../webhooks/deliveries/requeue.ts'
import { receivesEvents } from '../webhooks/endpoints/endpoint.ts'
import { documentLeases } from '../work/lease.ts'
import type { PolledWork } from '../work/loop.ts'
import { type Replay, type ReplayCounts, replayEndFields } from './replay.ts'
import { readSelectedEvents } from './selected-events.ts'

type RunDeps = AttemptDeps & Pick<Deps, 'Endpoint' | 'LoggedEvent' | 'Replay' | 'databaseTime' | 'queues'>

/** These two constants limit a replay to 200 attempts per second. */
const pageEveryMs = 100
const maxPerPage = 20
const maxDue = 10
const maxReadPerPage = 500
/** How long a replay runs before another can continue. */
const sliceMs = 5_000
/** A replay that can't start an attempt for this long rests for `restMs`. */
const maxBlockedMs = 500
const restMs = 1_000

export const replayWork: PolledWork = {
  name: 'replays',
  queue: 'webhook-delivery',
  everyMs: 1_000,
  atOnce: 2,
  again: { many: 1, afterMs: 0 },
  async run(deps, ending) {
    const leased = await leaseDueReplay(deps)
    if (leased === null) return 0
    await runReplay(deps, leased, ending)
    return 1
  },
}

/**
 * Writes a page of deliveries, records the progress and starts the attempts. If
 * the process dies in between, another worker repeats the page.
 */
export async function runReplay(deps: RunDeps, leased: LeasedReplay, ending: AbortSignal): Promise<void> {
  let replay = leased
  let progressAt = performance.now()
  const endsAt = progressAt + sliceMs
  while (!ending.aborted && performance.now() < Math.min(endsAt, progressAt + maxBlockedMs)) {
    const beganAt = performance.now()
    await deps.databaseTime.unsure()
    const endpoint = await deps.batchers.findEndpoint(replay.endpointId, noDeadline)
    if (endpoint === null || !receivesEvents(endpoint)) return end(deps, replay, 'endpoint_gone')
    const most = await maxAttempts(deps, endpoint)
    if (most > 0) {
      const next = await runPage(deps, replay, endpoint, most)
      if (next === null) return
      replay = next
      progressAt = performance.now()
    }
    const leftMs = pageEveryMs - (performance.now() - beganAt)
    await pause(Math.max(0, leftMs), undefined, { signal: ending }).catch(() => undefined)
  }
  await releaseReplay(deps, replay, performance.now() < endsAt && !ending.aborted ? restMs : 0)
}

/** Returns null if the replay has ended or another worker has taken over. */
async function runPage(deps: RunDeps, replay: LeasedReplay, endpoint: AttemptEndpoint, most: number) {
  const events = await readSelectedEvents(deps, replay, replay.onlyUndelivered ? maxReadPerPage : most)
  if (events.length === 0) {
    await end(deps, replay, null)
    return null
  }
  const { last, counts, dueIds } = await applyPage(deps, replay, endpoint, events, most)
  const reached = { createdAt: last.createdAt, eventId: last._id }
  const next = await saveReplayProgress(deps, replay, reached, counts)
  await beginAttempts(deps, slotOwnerOf(endpoint), dueIds, true)
  return next?.status === 'RUNNING' ? next : null
}

/** A page can be repeated, because each write records the replay's id. */
async function applyPage(
  deps: Pick<Deps, 'Delivery' | 'Endpoint' | 'batchers' | 'counters' | 'config' | 'now'>,
  replay: Replay,
  endpoint: AttemptEndpoint,
  events: readonly LoggedEvent[],
  most: number,
) {
  const idOf = (event: LoggedEvent) => makeDeliveryId(event._id, endpoint._id)
  const found = await readForRequeue(deps, events.map(idOf))
  const existing = new Map(found.map((delivery) => [delivery._id, delivery]))
  const needsAttempt = (event: LoggedEvent): boolean =>
    !replay.onlyUndelivered || existing.get(idOf(event))?.status !== 'DELIVERED'
  const last = events.filter(needsAttempt)[most - 1] ?? events.at(-1)
  if (last === undefined) throw new Error('a page has no events')
  const page = events.slice(0, events.indexOf(last) + 1)
  const isOwn = (event: LoggedEvent): boolean => existing.get(idOf(event))?.insertedBy === replay._id
  // An endpoint never gets events about itself.
  const isAboutTarget = ({ referenceNumber }: LoggedEvent): boolean => referenceNumber === endpoint._id
  const missing = page.filter((event) => !existing.has(idOf(event)) && !isAboutTarget(event))
  const created = [
    ...page.filter(isOwn).map(idOf),
    ...(await insertDeliveries(deps, replay, endpoint, missing)),
  ]
  const others = page.flatMap((event) => (isOwn(event) ? [] : (existing.get(idOf(event)) ?? [])))
  const includesDelivered = !replay.onlyUndelivered
  const requeued = await requeueForReplay(deps, others, { replayId: replay._id, includesDelivered })
  const skipped = page.length - requeued.length - created.length
  const counts: ReplayCounts = { requeued: requeued.length, created: created.length, skipped }
  return { last, counts, dueIds: [...requeued, ...created] }
}

/** Returns the ids it inserted. The relay may have inserted the others. */
async function insertDeliveries(
  deps: Pick<Deps, 'batchers' | 'counters' | 'config' | 'now'>,
  { _id: insertedBy }: Replay,
  endpoint: AttemptEndpoint,
  events: readonly LoggedEvent[],
): Promise<string[]> {
  const inserted = await Promise.all(
    events.map(async (logged) => {
      const { _id: id, createdAt, format, facts } = logged
      const event = { id, event: logged.event as EventName, createdAt, format, facts }
      const delivery = { ...newDelivery(logged, event, endpoint, deps.now(), null), insertedBy }
      const insertion = await deps.batchers.insertDelivery(delivery, noDeadline)
      if (!insertion.inserted) return []
      countStorage(deps, delivery, { others: 1, bytes: measureBson(delivery) })
      return [delivery._id]
    }),
  )
  return inserted.flat()
}

async function maxAttempts(deps: Pick<Deps, 'Delivery' | 'now' | 'slots'>, endpoint: AttemptEndpoint) {
  const most = Math.min(maxPerPage, deps.slots.availableToReplay(slotOwnerOf(endpoint)))
  if (most <= 0) return 0
  const due = await deps.Delivery.countDocuments(
    { endpointId: endpoint._id, ...leasableFilter(deps.now()) },
    { hint: 'openByEndpoint', limit: maxDue },
  )
  return due < maxDue ? most : 0
}

async function end(deps: RunDeps, leased: LeasedReplay, reason: ReplayCancellation | null) {
  const replay = await endReplay(deps, leased, reason)
  if (replay === null) return
  const { _id: replayId, endpointId, businessId, sandbox, status, total, requeued, created, skipped } = replay
  const counts = { total, requeued, created, skipped }
  deps.log.info({ replayId, endpointId, businessId, sandbox, status, ...counts }, 'replay.ended')
}

/** Each page takes far less than a second, and renews the lease. */
const leaseMs = 10_000

/** The first may be leased by other workers or locked by a dead process. */
const maxTried = 10

export type LeasedReplay = Replay & { leaseToken: string }

type LeaseDeps = Pick<Deps, 'Replay' | 'now'>

const leases = ({ Replay, now }: LeaseDeps) =>
  documentLeases<Replay>(rawCollection(Replay), { field: 'nextRunAt', leaseMs }, now)

export async function leaseDueReplay(deps: LeaseDeps & Pick<Deps, 'transactions'>) {
  const due = { running: true, nextRunAt: { $lte: deps.now() } } as const
  const options = { projection: { _id: 1 }, sort: { nextRunAt: 1 }, hint: 'due', limit: maxTried } as const
  for (const { _id } of await rawCollection(deps.Replay).find(due, options).toArray()) {
    const leased = await writeIfUnlocked(deps, (session) => leases(deps).take({ _id, ...due }, { session }))
    if (leased !== null) return leased as LeasedReplay
  }
  return null
}

/** Returns null if another worker has taken over. */
export const saveReplayProgress = (
  deps: LeaseDeps,
  replay: LeasedReplay,
  reached: Replay['reached'],
  counts: ReplayCounts,
) =>
  leases(deps).change(replay, [
    {
      $set: {
        reached: { $literal: reached },
        requeued: { $add: ['$requeued', counts.requeued] },
        created: { $add: ['$created', counts.created] },
        skipped: { $add: ['$skipped', counts.skipped] },
        nextRunAt: { $cond: [{ $eq: ['$status', 'RUNNING'] }, leases(deps).endsAt(), null] },
      },
    },
  ]) as Promise<LeasedReplay | null>

export async function releaseReplay(deps: LeaseDeps, replay: LeasedReplay, waitMs: number): Promise<void> {
  const nextRunAt = new Date(deps.now().getTime() + waitMs)
  await leases(deps).change(replay, { $set: { leaseToken: null, nextRunAt } }, { status: 'RUNNING' })
}

export function endReplay(deps: LeaseDeps, replay: LeasedReplay, reason: ReplayCancellation | null) {
  const change = {
    status: reason === null ? ('DONE' as const) : ('CANCELLED' as const),
    cancellationReason: reason,
    leaseToken: null,
    ...replayEndFields(replay.sandbox, deps.now()),
  }
  return leases(deps).change(replay, { $set: change, $unset: { running: 1 } }, { status: 'RUNNING' })
}
