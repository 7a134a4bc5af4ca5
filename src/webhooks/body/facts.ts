import type { PaymentFailure } from '../../intents/payments/payment.ts'
import type { Commission } from '../../wallets/commission.ts'

/**
 * What an event stores of its payment or order: the fields of the webhook's `data` that may change later, as they were then. Of an order
 * that is `status` alone. A field that is missing has the default of the event's format: null, or no commission.
 */
export interface Facts {
  status: string
  /** Centimes, as the event shows them: missing for an OPEN intent that nobody has paid. */
  amount?: number
  paidAt?: Date
  /** Masked. */
  payerPhone?: string
  commission?: Commission
  failure?: PaymentFailure
  refund?: { id: string; amount: number; reason?: string }
}

/** An event as it is stored, in an outbox and in each of its deliveries. `format` says how its body is written (compose.ts). */
export interface Recorded {
  format: number
  facts: Facts
}

/** The format of new events. A format never changes: other bytes are a new format (test/vectors/webhook-bodies). */
export const currentFormat = 1

/** `facts` hold no field that is not there, so that both take little room: Mongoose would write defaults into a typed sub-document. */
export const recordedFields = { format: Number, facts: Object }
