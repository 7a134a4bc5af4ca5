import type { Call } from '../../evidence/evidence.ts'
import type { IntentDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { intentsIn, isReplay, pageOf, referenceIn, shortCodeIn } from '../views/answers.ts'
import { groupsOf } from '../views/groups.ts'
import { settles } from '../views/times.ts'

/** An answer that was computed at that second may be told a moment later, and the clock of the traffic is the machine's, read twice. */
const marginMs = 50
/**
 * Its event is there within seconds where nothing is wrong: a job at that second or, where that was lost at any time before, a poll, which comes every
 * 2 s; and its relay.
 */
const eventMs = 10_000

/**
 * An intent expires at its second and not before: from then on it reads as CANCELLED whatever workers do, nobody pays or cancels it, and where
 * nothing is wrong its event is there within seconds.
 */
export const expiryPrompt: Judge = function* (round) {
  const begun = payingCalls(round)
  for (const intent of round.dump.intents) {
    yield* ofOne(round, intent)
    yield* inTime(intent, begun.get(intent.referenceNumber) ?? [])
  }
  yield* reads(round)
}

/** The earliest time at which each payment was requested, by the service's clock. */
function payingCalls({ calls, times, intentAt }: Round): Map<string, number[]> {
  const paying = calls.filter(({ what }) => what === 'simulate' || what === 'pay.confirm')
  const byReference = groupsOf(
    paying,
    (call) => referenceIn(call) ?? intentAt(shortCodeIn(call.path))?.referenceNumber ?? '',
  )
  return new Map(
    [...byReference].map(([reference, some]) => [
      reference,
      some.map(({ began, ended }) => {
        const shown = began + times.aheadAt(began).from
        return shown - times.skewAround({ from: began, to: ended })
      }),
    ]),
  )
}

function* ofOne(round: Round, intent: IntentDocument): Generator<Broken> {
  const { referenceNumber: of, status, cancellationReason, expiresAt, updatedAt } = intent
  if (status === 'PENDING' && round.setting.quietAt !== null && expiresAt + eventMs < round.endShown)
    return yield { of, says: `is PENDING, ${round.endShown - expiresAt} ms past its end` }
  if (cancellationReason !== 'expired') return
  if (updatedAt < expiresAt) yield { of, says: `expired ${expiresAt - updatedAt} ms before its time` }
  const due = round.times.machineTime(updatedAt)
  for (const { event, createdAt } of round.deliveriesOf.get(of) ?? []) {
    if (event !== 'payment.expired') continue
    const lateMs = createdAt - updatedAt
    // Late is what was not there by then, whatever was done to the service since.
    const isJudged = round.isDue('expiry.prompt', { from: due.from, to: due.to + eventMs }, settles.jobs)
    if (isJudged && lateMs > eventMs)
      yield { of, says: `payment.expired came ${lateMs} ms after its end, and nothing was wrong` }
  }
}

/**
 * A payment that was begun in time may end late; one that was begun late may not begin. A cancel and a simulation go by the second, on the clock
 * that they are stored by themselves.
 */
function* inTime(intent: IntentDocument, begun: number[]): Generator<Broken> {
  const { referenceNumber: of, expiresAt, payment, cancellationReason, updatedAt } = intent
  if (payment !== null && begun.length > 0 && Math.min(...begun) > expiresAt + marginMs)
    yield {
      of,
      says: `was paid, and nobody began to before ${Math.min(...begun) - expiresAt} ms past its end`,
    }
  if (payment?.wallet === 'simulation' && payment.paidAt >= expiresAt)
    yield { of, says: `was paid by a simulation ${payment.paidAt - expiresAt} ms past its end` }
  if (cancellationReason === 'requested_by_merchant' && updatedAt >= expiresAt)
    yield { of, says: `was cancelled ${updatedAt - expiresAt} ms past its end` }
}

/** What is read after that second is not PENDING, but while a payment is under way; what is read before it has not expired. */
function* reads(round: Round): Generator<Broken> {
  const { calls, times, intentOf } = round
  const paying = new Set(
    calls.filter(({ what }) => what === 'pay.confirm').map(({ path }) => shortCodeIn(path)),
  )
  for (const call of calls) {
    if (isReplay(call) || call.what === 'create') continue
    const skewMs = times.skewAround({ from: call.began, to: call.ended })
    const earliest = call.began + times.aheadAt(call.began).from - skewMs
    const latest = call.ended + times.aheadAt(call.ended).to + skewMs
    for (const { referenceNumber: of, status, cancellationReason, shortCode } of intentsIn(call)) {
      const intent = intentOf.get(of)
      if (intent === undefined) continue
      if (status === 'PENDING' && earliest > intent.expiresAt + marginMs && !paying.has(shortCode))
        yield {
          of,
          says: `call ${call.call} read it as PENDING ${earliest - intent.expiresAt} ms past its end`,
        }
      if (cancellationReason === 'expired' && latest < intent.expiresAt - marginMs)
        yield {
          of,
          says: `call ${call.call} read it as expired ${intent.expiresAt - latest} ms before its end`,
        }
    }
    yield* page(round, call, earliest)
  }
}

function* page({ intentAt }: Round, call: Call, earliest: number): Generator<Broken> {
  const intent = pageOf(call)?.state === 'pending' ? intentAt(shortCodeIn(call.path)) : undefined
  if (intent !== undefined && earliest > intent.expiresAt + marginMs)
    yield {
      of: intent.referenceNumber,
      says: `the page of call ${call.call} offered it ${earliest - intent.expiresAt} ms past its end`,
    }
}
