import type { DeliveryDocument, ReplayDocument } from '../../../invariants/documents.ts'
import { endpointOfDelivery, steadyEndpoints } from '../endpoints.ts'
import { groupsOf, having } from '../groups.ts'
import { isDone } from '../requests.ts'
import { dataOf } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'
import { lateMs, settles } from '../times.ts'
import { isAccepted } from './delivery-counted.ts'

const dayMs = 86_400_000

/**
 * A replay sends each event of its period and types to its endpoint, and no other. Its counts match what it did, and a
 * cancelled replay stops. That it re-queues each delivery once is part of `auditComplete`.
 */
export const replayExact: Check = function* (round) {
  const { dump } = round
  const steady = new Set(steadyEndpoints(round).map(({ _id }) => _id))
  const marked = groupsOf(
    dump.deliveries.flatMap((delivery) => marksOf(delivery).map((replay) => ({ replay, delivery }))),
    ({ replay }) => replay,
  )
  for (const replay of dump.webhookreplays) {
    const own = (marked.get(replay._id) ?? []).map(({ delivery }) => delivery)
    yield* only(round, replay, own)
    yield* counted(round, replay, own)
    if (replay.status === 'DONE' && steady.has(replay.endpointId)) yield* all(round, replay)
  }
  yield* acknowledged(round)
}

const marksOf = ({ requeuedBy, insertedBy }: DeliveryDocument) => [requeuedBy ?? [], insertedBy ?? []].flat()

const selectedBy = ({ dump }: Round, replay: ReplayDocument) =>
  dump.events.filter(
    ({ businessId, sandbox, createdAt, event, number }) =>
      businessId === replay.businessId &&
      sandbox === replay.sandbox &&
      createdAt >= replay.from &&
      createdAt <= replay.to &&
      replay.events.includes(event) &&
      number <= replay.through,
  )

const isCut = ({ mayBeCleaned, setting }: Round, { sandbox }: ReplayDocument): boolean =>
  mayBeCleaned({ sandbox, createdAt: setting.beganAt })

function* only(round: Round, replay: ReplayDocument, own: DeliveryDocument[]): Findings {
  const { _id, endpointId, cancellationReason, finishedAt } = replay
  const selected = new Set(selectedBy(round, replay).map((event) => event._id))
  for (const delivery of own)
    if (endpointOfDelivery(delivery._id) !== endpointId || !(selected.has(delivery.eventId) || isCut(round, replay)))
      yield [_id, `re-queued delivery ${delivery._id}, which is not of its endpoint, period and types`]
  for (const { _id: late, createdAt, insertedBy } of cancellationReason === null ? [] : own)
    if (insertedBy === _id && createdAt > (finishedAt ?? 0) + lateMs)
      yield [_id, `inserted delivery ${late} after it was cancelled`]
}

/**
 * After a fault, a delivery that a process left unchanged may have been re-queued by another one. A later replay may
 * have replaced the mark. The clean-up may have removed some of the deliveries, and, if the clock jumped past a night
 * meanwhile, some of the events that the replay had not reached.
 */
function* counted(round: Round, replay: ReplayDocument, own: DeliveryDocument[]): Findings {
  const { times, dump } = round
  const { _id, status, total, requeued, created, skipped, createdAt, finishedAt } = replay
  if (finishedAt === null) return
  const counts = requeued + created + skipped
  const isCutShort = isCut(round, replay) && finishedAt - createdAt > dayMs
  if (status === 'DONE' && (isCutShort ? counts > total : counts !== total))
    yield [_id, `counts ${requeued} + ${created} + ${skipped} of ${total} events`]
  const span = { from: times.machineTime(createdAt).from, to: times.machineTime(finishedAt).to }
  const later = dump.webhookreplays.filter(
    (other) => other.endpointId === replay.endpointId && other.createdAt > createdAt,
  )
  const replaced = dump.deliveries.filter(({ requeuedBy }) => later.some((other) => other._id === requeuedBy)).length
  const fewest = isCut(round, replay) ? 0 : requeued + created - replaced
  const most = times.isCalmForWrites(span, settles.jobs) ? requeued + created : total
  if (own.length < fewest || own.length > most)
    yield [_id, `counts ${requeued} + ${created} deliveries, and ${own.length} have its mark`]
}

/** Each event was attempted after the replay began, or had been accepted before. */
function* all(round: Round, replay: ReplayDocument): Findings {
  if (isCut(round, replay)) return
  const { _id, endpointId, onlyUndelivered, createdAt, total } = replay
  const since = createdAt - round.times.skewAround(round.times.machineTime(createdAt))
  const selected = selectedBy(round, replay)
  if (selected.length !== total) yield [_id, `is of ${total} events, and the log has ${selected.length}`]
  for (const { _id: eventId, referenceNumber } of selected) {
    const deliveries = round.deliveriesOf.get(referenceNumber) ?? []
    const delivery = deliveries.find((each) => each.eventId === eventId && each.endpointId === endpointId)
    const isSent = delivery?.attemptLog.some(
      ({ at, durationMs, status }) => at + durationMs >= since || (onlyUndelivered && isAccepted(status)),
    )
    if (!isSent && delivery?.status !== 'CANCELLED') yield [_id, `did not send event ${eventId}`]
  }
}

/** Each acknowledged replay exists with one audit line, and each cancelled one has ended. */
function* acknowledged({ dump, requests }: Round): Findings {
  const replays = new Map(dump.webhookreplays.map((replay) => [replay._id, replay]))
  const lines = groupsOf(dump.auditevents, ({ act, after }) => `${act} ${after?.replayId}`)
  for (const request of having(requests, 'replay', 'replay.cancel').filter(isDone)) {
    const id = dataOf<{ id: string }>(request.settled)?.id ?? ''
    const status = replays.get(id)?.status
    if (status === undefined || (request.what === 'replay.cancel' && status === 'RUNNING'))
      yield [id, `is ${status ?? 'not stored'}, and call ${request.settled?.call} succeeded`]
  }
  for (const { _id, cancellationReason } of replays.values()) {
    const isRequested = Number(cancellationReason === 'requested')
    const due = { 'endpoint.replayed': 1, 'endpoint.replay-cancelled': isRequested }
    for (const [act, count] of Object.entries(due))
      if ((lines.get(`${act} ${_id}`)?.length ?? 0) !== count) yield [_id, `has not ${count} lines ${act} in the trail`]
  }
}
