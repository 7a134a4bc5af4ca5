import type { Facts, Recorded } from '../webhooks/body/facts.ts'
import { paymentFormat } from '../webhooks/body/payment-data.ts'
import type { Intent } from './intent.ts'
import type { PaymentFailure } from './payments/payment.ts'
import type { Refund } from './refunds/refund-record.ts'

/** The data that only some events contain: the reason why a payment failed, or the refund that was made. */
export interface EventDetails {
  failure?: PaymentFailure
  refund?: Pick<Refund, 'id' | 'amount' | 'returnedFees' | 'reason' | 'createdAt'>
}

/**
 * Returns the facts to store with an event. Pass the intent as it is after the event. An OPEN intent has no amount
 * until it is paid. The commission is that of the payment, even in events for later refunds.
 */
export function paymentFacts(intent: Intent, { failure, refund }: EventDetails): Recorded {
  const { status, payment } = intent
  const amount = payment?.amountPaid ?? (intent.amountType === 'OPEN' ? null : intent.amount)
  const facts = {
    status,
    ...(amount === null ? {} : { amount }),
    ...(payment === null
      ? {}
      : { paidAt: payment.paidAt, payerPhone: payment.payerPhone, commission: payment.commission }),
    ...(failure === undefined ? {} : { failure }),
    ...(refund === undefined ? {} : { refund: refundFacts(refund) }),
  }
  return { format: paymentFormat, facts }
}

const refundFacts = ({
  id,
  amount,
  returnedFees,
  reason,
  createdAt,
}: NonNullable<EventDetails['refund']>): NonNullable<Facts['refund']> =>
  reason === null ? { id, amount, returnedFees, createdAt } : { id, amount, returnedFees, reason, createdAt }
