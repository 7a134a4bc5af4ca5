import type { Call } from '../../evidence/evidence.ts'
import type { IntentDocument } from '../documents.ts'
import type { Round } from '../round.ts'
import { referenceIn } from '../views/answers.ts'
import { failingRefund } from '../views/failing-amounts.ts'
import { sumOf } from '../views/groups.ts'
import { isDone, isUnknown, lateMs } from '../views/requests.ts'
import { settles } from '../views/times.ts'
import { bodiesOf, hadCome, mayHaveComeBy, type Reason, type Refusal } from './refusal.ts'

interface Asked {
  amount: number
  expectedRefundable: number
}

/** What was left to refund, at the least and at the most; null where it may not have been paid yet. */
interface Left {
  least: number
  most: number
}

/** A write that was given up may be at it for longer. */
const goneBy = ({ ended, status }: Call): number =>
  status === null || status >= 500 ? ended + lateMs : ended

function leftOf(round: Round, refusal: Refusal): Left | null {
  const { span, request } = refusal
  const intent = round.intentOf.get(referenceIn(refusal.call) ?? '')
  if (!intent?.payment || !hadCome(round, intent.payment.paidAt, span)) return null
  const { amountPaid } = intent.payment
  const sure = intent.refunds.filter(
    ({ status, createdAt }) => status === 'SUCCEEDED' && hadCome(round, createdAt, span),
  )
  const perhaps = intent.refunds.filter(({ createdAt }) => mayHaveComeBy(round, createdAt, span))
  const others = round.requests.filter(
    (other) => other.what === 'refund' && other !== request && referenceIn(other) === intent.referenceNumber,
  )
  // Set aside for a moment, also of what came to nothing.
  const held = others.filter(
    (other) =>
      !isDone(other) && other.tries.some((call) => call.began <= span.to && goneBy(call) >= span.from),
  )
  const unknown = others.filter((other) => isUnknown(other) && (other.tries[0]?.began ?? 0) <= span.to)
  const most = sumOf(new Set([...held, ...unknown]), ({ tries }) =>
    Math.max(...tries.map(({ body }) => ((body ?? {}) as Partial<Asked>).amount ?? amountPaid)),
  )
  return {
    least: Math.max(0, amountPaid - sumOf(perhaps, ({ amount }) => amount) - most),
    most: amountPaid - sumOf(sure, ({ amount }) => amount),
  }
}

/** As many refunds as one payment may have (docs/payments.md). */
const mostRefunds = 1000

/** It is not paid, or nothing is left. */
export const notRefundable: Reason = (round, refusal) => {
  const left = leftOf(round, refusal)
  return left === null || left.least === 0 || refundsOf(round, refusal).length >= mostRefunds
}

const refundsOf = (round: Round, { call }: Refusal): IntentDocument['refunds'] =>
  round.intentOf.get(referenceIn(call) ?? '')?.refunds ?? []

/** More is asked for than is left. */
export const tooMuch: Reason = (round, refusal) => {
  const left = leftOf(round, refusal)
  if (refusal.call.what !== 'refund') return false
  return left === null || bodiesOf<Asked>(refusal).some(({ amount = 0 }) => amount > left.least)
}

export const notWhatIsLeft: Reason = (round, refusal) => {
  const left = leftOf(round, refusal)
  if (left === null || left.least !== left.most) return true
  return bodiesOf<Asked>(refusal).some(
    ({ expectedRefundable = left.most }) => expectedRefundable !== left.most,
  )
}

/** The amount that always fails, the provider said no, or the order never came to the wallet: not in time, since something stood still. */
export const notGivenBack: Reason = (round, refusal) => {
  const intent = round.intentOf.get(referenceIn(refusal.call) ?? '')
  if (!intent?.payment) return true
  // Whoever asks again hears what became of the first try.
  const { call, request, span } = refusal
  const sinceAsked = {
    from: Math.min(...(request?.tries ?? [call]).map(({ began }) => began)),
    to: span.to,
  }
  if (neverCame(round, intent) && !round.times.isCalm(sinceAsked, settles.requests)) return true
  const { key, amountPaid, wallet } = intent.payment
  if (wallet.startsWith('live:'))
    return round.provider.some(
      ({ kind, paymentKey, status, asks }) =>
        kind === 'refund' && asks === 'order' && paymentKey === key && status !== 'succeeded',
    )
  return bodiesOf<Asked>(refusal).some(({ amount = amountPaid }) =>
    [amount, amountPaid].includes(failingRefund),
  )
}

const neverCame = (round: Round, { attempts }: IntentDocument): boolean =>
  attempts.some(
    ({ kind, id, outcome }) => kind === 'refund' && outcome === 'not-executed' && !wasCarriedOut(round, id),
  )

const wasCarriedOut = ({ provider, dump }: Round, key: string): boolean =>
  provider.some((request) => request.key === key && request.status === 'succeeded') ||
  dump.walletmovements.some(({ _id, result }) => _id === key && result.outcome === 'done')
