import type { Facts } from '../webhooks/body/facts.ts'
import type { Intent } from './intent.ts'
import type { PaymentFailure } from './payments/payment.ts'
import type { Refund } from './refunds/refund-record.ts'

/** What an event tells beyond how the intent is afterwards: why a payment failed, which refund it was. */
export interface Told {
  failure?: PaymentFailure
  refund?: Pick<Refund, 'id' | 'amount' | 'reason'>
}

/**
 * What an event stores of its intent as it is then. The amount is missing for an OPEN intent that nobody has paid; the commission is the
 * payment's, in each event after it.
 */
export function paymentFacts(intent: Intent, { failure, refund }: Told): Facts {
  const { status, payment } = intent
  const amount = payment?.amountPaid ?? (intent.amountType === 'OPEN' ? null : intent.amount)
  return {
    status,
    ...(amount === null ? {} : { amount }),
    ...(payment === null
      ? {}
      : { paidAt: payment.paidAt, payerPhone: payment.payerPhone, commission: payment.commission }),
    ...(failure === undefined ? {} : { failure }),
    ...(refund === undefined ? {} : { refund: refundFacts(refund) }),
  }
}

const refundFacts = ({ id, amount, reason }: NonNullable<Told['refund']>): NonNullable<Facts['refund']> =>
  reason === null ? { id, amount } : { id, amount, reason }
