import type { DeliveryDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { groupsOf } from '../views/groups.ts'
import { heldBack } from '../views/held-back.ts'
import { settles } from '../views/times.ts'

/** A second is on no clock of a machine that is busy; a record rounds to the millisecond. */
const earlyMs = 5
/** How late an attempt may be where nothing is wrong: its lease ended with its worker, and workers poll every 2 s; the rest is the line that it stands in. */
const lateMs = 15_000

/**
 * No attempt comes before its wait is over, counted from the end of the one before; and none much later, where nothing was wrong and its
 * receiver is quick (SPEC 6.4).
 */
export const deliveryPaced: Judge = function* (round) {
  const byHand = groupsOf(
    round.dump.auditevents.filter(({ act }) => act === 'delivery.requeued'),
    ({ subject }) => subject,
  )
  const isHeldBack = heldBack(round)
  for (const delivery of round.dump.deliveries) {
    const asked = (byHand.get(delivery._id) ?? []).map(({ at }) => at)
    yield* paced(round, delivery, asked, isHeldBack)
  }
}

function* paced(
  round: Round,
  delivery: DeliveryDocument,
  asked: number[],
  isHeldBack: ReturnType<typeof heldBack>,
): Generator<Broken> {
  const { _id: of, attemptLog, createdAt } = delivery
  const waits = round.setting.settings.retrySeconds.map((seconds) => seconds * 1000)
  const isByTable = asked.length === 0 && attemptLog.length === delivery.attempts
  for (const [index, { at }] of attemptLog.entries()) {
    const before = attemptLog[index - 1]
    const endedAt = before === undefined ? createdAt : before.at + before.durationMs
    const toldMs = before === undefined ? 0 : ((isByTable ? waits[index - 1] : Math.min(...waits)) ?? 0)
    const isAsked = asked.some((when) => when >= endedAt - earlyMs && when <= at + earlyMs)
    // By the clock that its beginning was read from; its end is counted from that.
    const readAt = [before?.at ?? createdAt, at].map((shown) => round.times.machineTime(shown))
    const skewMs = round.times.skewAround({
      from: Math.min(...readAt.map(({ from }) => from)),
      to: Math.max(...readAt.map(({ to }) => to)),
    })
    const waitedMs = at - endedAt
    if (waitedMs < (isAsked ? 0 : toldMs) - earlyMs - skewMs)
      yield {
        of,
        says: `attempt ${index + 1} came ${waitedMs} ms after the one before, and its wait is ${toldMs} ms`,
      }
    const mostMs = 2 * toldMs + lateMs
    const ended = round.times.machineTime(endedAt)
    // Late is what was not there by then, whatever was done to the service since.
    const mayBeLate = !isByTable || isHeldBack(delivery.endpointId, endedAt, endedAt + mostMs)
    const isJudged =
      !mayBeLate && round.isDue('delivery.paced', { ...ended, to: ended.to + mostMs }, settles.jobs)
    if (isJudged && waitedMs > mostMs)
      yield {
        of,
        says: `attempt ${index + 1} came ${waitedMs} ms after ${before ? 'the one before' : 'its event'}, and nothing was wrong`,
      }
  }
}
