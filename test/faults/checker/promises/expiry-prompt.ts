import type { IntentDocument } from '../../../invariants/documents.ts'
import { groupsOf, having } from '../groups.ts'
import { formsIn, intentsIn, isReplay, pageOf, referenceIn, shortCodeIn } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'
import { settles } from '../times.ts'

/** A response may be sent a moment after it was computed. */
const marginMs = 50
/** Time for a job at that second or a poll every 2 s, and for the relay. */
const eventMs = 10_000

/**
 * An intent expires exactly at its second. From then on it reads as CANCELLED and cannot be paid or cancelled. Without
 * a fault, its event exists within seconds.
 */
export const expiryPrompt: Check = function* (round) {
  const payments = groupsOf(
    having(round.calls, 'simulate', 'pay.confirm'),
    (call) => referenceIn(call) ?? round.intentAt(shortCodeIn(call.path))?.referenceNumber,
  )
  for (const intent of round.dump.intents) {
    yield* expired(round, intent)
    const begun = (payments.get(intent.referenceNumber) ?? []).map((call) => round.times.shownOf(call).from)
    yield* inTime(intent, begun)
  }
  yield* reads(round)
}

function* expired(round: Round, intent: IntentDocument): Findings {
  const { referenceNumber, status, hold, cancellationReason, expiresAt, updatedAt } = intent
  const isOver = round.setting.quietAt !== null && expiresAt + eventMs < round.endShown
  if (status === 'PENDING' && hold === null && isOver)
    yield [referenceNumber, `is PENDING ${round.endShown - expiresAt} ms after it expired`]
  if (cancellationReason !== 'expired') return
  if (updatedAt < expiresAt) yield [referenceNumber, `expired ${expiresAt - updatedAt} ms too early`]
  const due = round.times.machineTime(updatedAt)
  for (const { event, createdAt, insertedBy } of round.deliveriesOf.get(referenceNumber) ?? []) {
    if (event !== 'payment.expired' || insertedBy !== undefined) continue
    const isDue = round.isDue('expiry.prompt', { from: due.from, to: due.to + eventMs }, settles.jobs)
    if (isDue && createdAt - updatedAt > eventMs)
      yield [referenceNumber, `payment.expired came ${createdAt - updatedAt} ms later, without a fault`]
  }
}

/** A payment that began in time may end late. Cancels and simulations count by their own time. */
function* inTime(intent: IntentDocument, begun: number[]): Findings {
  const { referenceNumber, expiresAt, payment, cancellationReason, updatedAt } = intent
  if (payment !== null && begun.length > 0 && Math.min(...begun) > expiresAt + marginMs)
    yield [referenceNumber, `was paid ${Math.min(...begun) - expiresAt} ms after it expired`]
  if (payment?.wallet === 'simulation' && payment.paidAt >= expiresAt)
    yield [referenceNumber, 'was paid by a simulation after it expired']
  if (cancellationReason === 'requested_by_merchant' && updatedAt >= expiresAt)
    yield [referenceNumber, 'was cancelled by its merchant after it expired']
}

/** After that second, an intent reads as PENDING only during a payment. Before it, no intent reads as expired. */
function* reads({ calls, times, intentOf, intentAt }: Round): Findings {
  const paying = new Set(formsIn(calls).map(({ path }) => shortCodeIn(path)))
  for (const call of calls) {
    if (isReplay(call) || call.what === 'create') continue
    const shownAt = times.shownOf(call)
    for (const { referenceNumber, status, cancellationReason, shortCode } of intentsIn(call)) {
      const end = intentOf.get(referenceNumber)?.expiresAt
      if (end === undefined) continue
      if (status === 'PENDING' && shownAt.from > end + marginMs && !paying.has(shortCode))
        yield [referenceNumber, `call ${call.call} read PENDING ${shownAt.from - end} ms after it expired`]
      if (cancellationReason === 'expired' && shownAt.to < end - marginMs)
        yield [referenceNumber, `call ${call.call} read it as expired ${end - shownAt.to} ms too early`]
    }
    const offered = pageOf(call)?.state === 'pending' ? intentAt(shortCodeIn(call.path)) : undefined
    if (offered !== undefined && shownAt.from > offered.expiresAt + marginMs)
      yield [offered.referenceNumber, `the page of call ${call.call} offered it after it expired`]
  }
}
