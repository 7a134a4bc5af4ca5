import type { IntentDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { intentsIn } from '../views/answers.ts'
import { failingPayment, failingRefund } from '../views/failing-amounts.ts'
import { groupsOf, repeatedOf, sumOf } from '../views/groups.ts'

/** No more goes back than was paid, however many ask at once; records, sums, answers and events agree. */
export const refundBounded: Judge = function* (round) {
  for (const intent of round.dump.intents) {
    yield* within(intent)
    if (intent.sandbox) yield* magic(intent)
  }
  yield* answered(round)
  yield* told(round)
}

const succeededIn = ({ refunds }: IntentDocument) => refunds.filter(({ status }) => status === 'SUCCEEDED')

function* within({
  referenceNumber: of,
  refunds,
  refundsCommitted,
  payment,
}: IntentDocument): Generator<Broken> {
  const refunded = sumOf(refunds, ({ amount }) => amount)
  const paid = payment?.amountPaid ?? 0
  if (refunded > paid) yield { of, says: `${refunded} was refunded of ${paid}` }
  if (refundsCommitted !== refunded)
    yield { of, says: `${refundsCommitted} is set aside for refunds of ${refunded}` }
  if (refunds.some(({ amount }) => amount < 1)) yield { of, says: 'has a refund of nothing' }
  for (const { id } of repeatedOf(refunds, (refund) => refund.id))
    yield { of, says: `has refund ${id} twice` }
}

function* magic(intent: IntentDocument): Generator<Broken> {
  const { referenceNumber: of, payment, refunds } = intent
  if (payment?.amountPaid === failingPayment) yield { of, says: 'was paid by the amount that always fails' }
  if (
    refunds.length > 0 &&
    [payment?.amountPaid, ...refunds.map(({ amount }) => amount)].includes(failingRefund)
  )
    yield { of, says: 'was refunded by the amount that always fails' }
}

function* answered({ calls }: Round): Generator<Broken> {
  for (const call of calls)
    for (const { referenceNumber: of, payment, refunds = [], totalAmountRefunded = 0 } of intentsIn(call)) {
      const succeeded = refunds.filter(({ status }) => status === 'SUCCEEDED')
      const sum = sumOf(succeeded, ({ amount }) => amount)
      if (sum !== totalAmountRefunded)
        yield { of, says: `call ${call.call} shows refunds of ${sum}, and ${totalAmountRefunded} in all` }
      if (totalAmountRefunded > (payment?.amountPaid ?? 0))
        yield {
          of,
          says: `call ${call.call} shows ${totalAmountRefunded} refunded of ${payment?.amountPaid ?? 0}`,
        }
    }
}

/** Where an endpoint was told of refunds, it was told of no other sum. */
function* told({ dump, intentOf }: Round): Generator<Broken> {
  const refunds = dump.deliveries.filter(({ event }) => event === 'payment.refunded')
  for (const some of groupsOf(
    refunds,
    ({ referenceNumber, endpointId }) => `${referenceNumber} ${endpointId}`,
  ).values()) {
    const of = some[0]?.referenceNumber ?? ''
    const intent = intentOf.get(of)
    const amount = sumOf(
      some,
      ({ body }) => (JSON.parse(body) as { data: { refund: { amount: number } } }).data.refund.amount,
    )
    const due = intent === undefined ? 0 : sumOf(succeededIn(intent), (refund) => refund.amount)
    if (intent !== undefined && amount > due)
      yield { of, says: `events told an endpoint of refunds of ${amount}, and ${due} were made` }
  }
}
