import type { DeliveryDocument } from '../../../invariants/documents.ts'
import { groupsOf } from '../groups.ts'
import type { Check, Findings, Round } from '../round.ts'
import { lateMs, type Span, settles } from '../times.ts'
import { isAccepted } from './delivery-counted.ts'

/** Records are rounded to the millisecond, and the times come from two clocks. */
const earlyMs = 5
/**
 * A process that measures MongoDB's time just after a fault of MongoDB may be wrong by this much, which is the longest
 * half of a round trip that it accepts (src/mongo/database-time.ts). What it records is then wrong, and not its wait.
 */
const unsureMs = 500
/** Time for the lease of a dead worker to expire, for the next poll, and for the queue. */
const maxLateMs = 15_000

/** Attempts keep the delays of SPEC 6.4. Without a fault, none is much later, unless its endpoint is throttled. */
export const deliveryPaced: Check = function* (round) {
  const lines = round.dump.auditevents.filter(({ act }) => act === 'delivery.requeued')
  const requeues = groupsOf(lines, ({ subject }) => subject)
  const throttled = throttledAt(round)
  for (const delivery of round.dump.deliveries) {
    const byHand = (requeues.get(delivery._id) ?? []).map(({ at }) => ({ from: at, to: at }))
    const byReplays = round.replaysOf(delivery).map(({ createdAt, finishedAt }) => {
      return { from: createdAt, to: (finishedAt ?? round.endShown) + lateMs }
    })
    yield* paced(round, delivery, [...byHand, ...byReplays], throttled)
  }
}

function* paced(
  round: Round,
  { _id, attemptLog, createdAt, attempts, endpointId }: DeliveryDocument,
  requeued: Span[],
  throttled: ReturnType<typeof throttledAt>,
): Findings {
  const { times, setting } = round
  const waits = setting.settings.retrySeconds.map((seconds) => seconds * 1000)
  const isByTable = requeued.length === 0 && attemptLog.length === attempts
  for (const [index, { at }] of attemptLog.entries()) {
    const before = attemptLog[index - 1]
    const endedAt = before === undefined ? createdAt : before.at + before.durationMs
    const tableMs = before === undefined ? 0 : ((isByTable ? waits[index - 1] : Math.min(...waits)) ?? 0)
    const isRequeued = requeued.some(({ from, to }) => to >= endedAt - earlyMs && from <= at + earlyMs)
    const [first, last] = [times.machineTime(before?.at ?? createdAt), times.machineTime(at)]
    const span = { from: Math.min(first.from, last.from), to: Math.max(first.to, last.to) }
    const skewMs = times.skewAround(span) + (times.isCalmForWrites(span, settles.jobs) ? 0 : unsureMs)
    const waitedMs = at - endedAt
    const words = `attempt ${index + 1} came ${waitedMs} ms after the previous one or the event`
    if (waitedMs < (isRequeued ? 0 : tableMs) - earlyMs - skewMs) yield [_id, `${words}, not after ${tableMs} ms`]
    const maxMs = 2 * tableMs + maxLateMs
    if (!isByTable || throttled(endpointId, endedAt, endedAt + maxMs)) continue
    const ended = times.machineTime(endedAt)
    const isDue = round.isDue('delivery.paced', { from: ended.from, to: ended.to + maxMs }, settles.jobs)
    if (isDue && waitedMs > maxMs) yield [_id, `${words}, without a fault`]
  }
}

/** An endpoint that takes longer or never accepts is throttled. Its queued deliveries follow within half a minute. */
const slowMs = 1000
const queueMs = 30_000

/** Tells whether an endpoint may have been throttled between two instants of the service's clock. */
function throttledAt({ dump }: Round): (endpointId: string, from: number, to: number) => boolean {
  const byEndpoint = new Map(
    [...groupsOf(dump.deliveries, ({ endpointId }) => endpointId)].map(([id, some]) => [
      id,
      some.flatMap(({ attemptLog }) => attemptLog).toSorted((one, other) => one.at - other.at),
    ]),
  )
  return (endpointId, from, to) => {
    const near = (byEndpoint.get(endpointId) ?? []).filter(({ at }) => at >= from - queueMs && at <= to)
    return near.some(({ durationMs }) => durationMs > slowMs) || !near.some(({ status }) => isAccepted(status))
  }
}
