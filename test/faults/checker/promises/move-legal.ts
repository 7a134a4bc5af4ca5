import type { DeliveryDocument, IntentDocument, Status } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { dataOf, intentsIn, isReplay, refusalOf, type ShownIntent } from '../views/answers.ts'
import { mayBecome } from '../views/moves.ts'

/**
 * Each intent is what its history makes of it, MongoDB, answers and events agree, each move happened once, and what was acknowledged is
 * never undone.
 */
export const moveLegal: Judge = function* (round) {
  for (const intent of round.dump.intents) {
    yield* whole(intent)
    yield* told(intent, round.deliveriesOf.get(intent.referenceNumber) ?? [])
  }
  yield* acknowledged(round)
}

/** A status and what goes with it. */
function* whole(intent: IntentDocument): Generator<Broken> {
  const { referenceNumber: of, status, payment, refunds, cancellationReason, failure } = intent
  const isPaid = payment !== null
  const isRefunded = refunds.some((refund) => refund.status === 'SUCCEEDED')
  const isCancelled = cancellationReason !== null
  const should = isPaid ? (isRefunded ? 'REFUNDED' : 'PAID') : isCancelled ? 'CANCELLED' : null
  const isOver = failure !== null && !failure.retryable
  if (should !== null && status !== should) yield { of, says: `is ${status}, and its fields say ${should}` }
  if (should === null && status !== (isOver ? 'FAILED' : 'PENDING'))
    yield { of, says: `is ${status} without what goes with it` }
  if (isPaid && isCancelled) yield { of, says: 'is paid and cancelled' }
  if (isPaid && failure !== null) yield { of, says: 'is paid and tells of a failure' }
  if (!isPaid && refunds.length > 0) yield { of, says: 'was refunded and never paid' }
}

const ends = ['payment.confirmed', 'payment.cancelled', 'payment.expired']
const onlyOnce = ['payment.created', ...ends]

/** Events are of moves that happened: each at most once, one end at most, and that of the intent. */
function* told(
  { referenceNumber: of, status }: IntentDocument,
  deliveries: DeliveryDocument[],
): Generator<Broken> {
  const ids = new Map<string, Set<string>>()
  const finals = new Set<string>()
  for (const { event, eventId, body } of deliveries) {
    ids.set(event, (ids.get(event) ?? new Set()).add(eventId))
    const { data } = JSON.parse(body) as { data: { status: Status } }
    if (!mayBecome(data.status, status)) yield { of, says: `is ${status}, and ${event} told ${data.status}` }
    if (ends.includes(event) || data.status === 'FAILED') finals.add(event)
  }
  for (const event of onlyOnce)
    if ((ids.get(event)?.size ?? 0) > 1) yield { of, says: `${event} happened ${ids.get(event)?.size} times` }
  if (finals.size > 1) yield { of, says: `came to more than one end: ${[...finals].join(', ')}` }
}

/** What a merchant was told happened, and what is there in the end. */
function* acknowledged({ calls, intentOf, mayBeCleaned, times }: Round): Generator<Broken> {
  for (const call of calls) {
    const areApart = times.skewAround({ from: call.began, to: call.ended }) > 0
    for (const shown of intentsIn(call)) {
      const intent = intentOf.get(shown.referenceNumber)
      // By a clock that is ahead an intent has expired which by another's may be paid or cancelled; how far ahead, expiry.prompt minds.
      const isOfClocks = areApart && shown.cancellationReason === 'expired'
      if (intent !== undefined && !isOfClocks) yield* undone(call.call, call.what, shown, intent)
      if (
        intent === undefined &&
        !mayBeCleaned({ sandbox: shown.sandbox, createdAt: Date.parse(shown.createdAt) })
      )
        yield {
          of: shown.referenceNumber,
          says: `call ${call.call} (${call.what}) shows it, and MongoDB does not have it`,
        }
    }
    if (call.what === 'cancel' && !isReplay(call) && call.status === 200) {
      const shown = dataOf<ShownIntent>(call)
      if (shown?.status !== 'CANCELLED')
        yield {
          of: shown?.referenceNumber ?? call.path,
          says: `a cancel was answered 200 with ${shown?.status}`,
        }
    }
    if (call.what === 'simulate' && refusalOf(call)?.code === 'PAYMENT_FAILED' && call.sandbox === false)
      yield { of: call.path, says: 'a live intent was simulated' }
  }
}

function* undone(call: number, what: string, shown: ShownIntent, intent: IntentDocument): Generator<Broken> {
  const of = shown.referenceNumber
  if (!mayBecome(shown.status as Status, intent.status))
    yield { of, says: `call ${call} (${what}) answered ${shown.status}, and it is ${intent.status}` }
  const { cancellationReason, payment, refund, refunds = [] } = shown
  if (cancellationReason !== undefined && cancellationReason !== intent.cancellationReason)
    yield { of, says: `call ${call} answered ${cancellationReason}, and it is ${intent.cancellationReason}` }
  if (
    payment &&
    (payment.amountPaid !== intent.payment?.amountPaid ||
      Date.parse(payment.paidAt) !== intent.payment.paidAt)
  )
    yield { of, says: `call ${call} answered a payment of ${payment.amountPaid} that is not there` }
  for (const each of [...refunds, ...(refund ? [refund] : [])]) {
    const stored = intent.refunds.find(({ id }) => id === each.id)
    if (each.status === 'SUCCEEDED' && (stored?.status !== 'SUCCEEDED' || stored.amount !== each.amount))
      yield {
        of,
        says: `call ${call} answered refund ${each.id} of ${each.amount}, and it is ${stored?.status ?? 'gone'}`,
      }
  }
}
