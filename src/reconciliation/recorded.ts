import type { Intent } from '../intents/intent.ts'
import type { Refund } from '../intents/records.ts'
import type { MoneyKind } from './rows.ts'

/** A live payment or refund as this service recorded it. */
export interface Recorded {
  /** The idempotency key under which the wallet knows the payment or refund. */
  key: string
  kind: MoneyKind
  /** The amount in centimes, without the fee. */
  amount: number
  /** The fee that the payer paid or got back in addition to the amount, in centimes. */
  fee: number
  at: Date
  reference: string
  businessId: string
}

/**
 * The payment intent that knows a key. `recorded` is null if the payment or refund of this key did not succeed here,
 * for example because its outcome is not known yet, or if another wallet carried it out.
 */
export interface FoundKey {
  reference: string
  businessId: string
  recorded: Recorded | null
}

/** The fields of an intent that a comparison reads. */
export const recordedFields = {
  _id: 0,
  businessId: 1,
  referenceNumber: 1,
  'payment.amountPaid': 1,
  'payment.paidAt': 1,
  'payment.key': 1,
  'payment.wallet': 1,
  'payment.commission.payerTtc': 1,
  refunds: 1,
} as const

/** An intent with these fields. */
export type RecordedIntent = Pick<Intent, 'businessId' | 'referenceNumber' | 'refunds' | 'lookUpKeys'> & {
  payment?: Intent['payment']
}

/** Returns the payment of an intent. The field is missing in what MongoDB returns for an intent that is not paid. */
export function recordedPayment({ businessId, referenceNumber: reference, payment }: RecordedIntent): Recorded[] {
  if (!payment) return []
  const { key, amountPaid: amount, commission, paidAt: at } = payment
  return [{ key, kind: 'payment', amount, fee: commission.payerTtc, at, reference, businessId }]
}

/** Returns the refunds of an intent for which the wallet has returned the money. */
export const recordedRefunds = ({ businessId, referenceNumber: reference, refunds }: RecordedIntent): Recorded[] =>
  refunds.flatMap(({ id: key, amount, returnedFees, refundedAt: at }: Refund) =>
    at === undefined ? [] : [{ key, kind: 'refund', amount, fee: returnedFees.payerTtc, at, reference, businessId }],
  )
