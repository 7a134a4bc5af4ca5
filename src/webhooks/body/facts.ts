import type { PaymentFailure } from '../../intents/payments/payment.ts'
import type { Commission } from '../../wallets/commission.ts'

/**
 * The fields of a webhook's `data` that may change later, with their values at the time of the event. For an order this
 * is only `status`. A missing field means the default of the event's format: null, or no commission.
 */
export interface Facts {
  status: string
  /** Centimes. Missing for an OPEN intent that is not paid. */
  amount?: number
  paidAt?: Date
  /** Masked. */
  payerPhone?: string
  commission?: Commission
  failure?: PaymentFailure
  refund?: { id: string; amount: number; reason?: string }
}

/**
 * The fields of an event that its outbox and its deliveries store. `format` selects how `data` is written
 * (payment-data.ts, order-data.ts).
 */
export interface Recorded {
  format: number
  facts: Facts
}

/** `facts` is untyped to save space: Mongoose would write defaults for the missing fields of a typed sub-document. */
export const recordedFields = { format: Number, facts: Object }
