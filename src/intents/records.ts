import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import { date, oneOf, optional, orNull, part, text, type ValueOfField, whole } from '../mongo/fields.ts'
import type { Deps } from '../platform/deps.ts'
import { commissionFields, returnedFeesFields } from '../wallets/commission.ts'
import type { PinRefusalReason, WalletName } from '../wallets/wallet.ts'

// All amounts and fees are in centimes. Phone numbers are masked.

export const paymentFields = part({
  amountPaid: whole,
  paidAt: date,
  method: oneOf<'WALLET'>(),
  payerPhone: text,
  payerHash: text,
  commission: commissionFields,
  wallet: oneOf<WalletName>(),
  /** The wallet knows the payment by this idempotency key. */
  key: text,
})
export type Payment = ValueOfField<typeof paymentFields>

/** While a payment is pending, its hold blocks cancellation and expiry. */
export const holdFields = part({
  id: text,
  wallet: oneOf<WalletName>(),
  amount: whole,
  /** Uses the rates that applied when the payment began. */
  commission: commissionFields,
  payerPhone: text,
  payerHash: text,
  startedAt: date,
  /** Needed for the limit on refused PINs. Unknown without a proxy. */
  clientIp: optional(text),
  /** The wallet must not carry out the payment after this time. */
  validUntil: date,
  queryAt: date,
  /** Distinguishes concurrent submissions of the same form. */
  writeId: text,
})
export type PaymentHold = ValueOfField<typeof holdFields>

/** A finished payment or a failed refund. */
export const paymentAttemptFields = part({
  kind: oneOf<'payment' | 'refund'>(),
  id: text,
  at: date,
  /** Missing if the payment began and finished in one write. */
  startedAt: optional(date),
  amount: whole,
  /** The payer's fee, charged or returned in addition to `amount`. */
  fee: whole,
  payerPhone: text,
  payerHash: optional(text),
  outcome: oneOf<'done' | 'refused' | 'declined' | 'failed' | 'not-executed'>(),
  reason: orNull(oneOf<PinRefusalReason | DeclineReason | FailureReason>()),
  writeId: text,
})
export type PaymentAttempt = ValueOfField<typeof paymentAttemptFields>

/** A refund that the wallet didn't carry out is removed. */
export const refundFields = part({
  /** `RF-…`, also the idempotency key at the wallet. */
  id: text,
  amount: whole,
  returnedFees: returnedFeesFields,
  reason: orNull(text),
  status: oneOf<'PENDING' | 'SUCCEEDED'>(),
  createdAt: date,
  refundedAt: optional(date),
  /** Shows which of two concurrent processes settled the refund. */
  writeId: optional(text),
  validUntil: date,
  queryAt: optional(date),
})
export type Refund = ValueOfField<typeof refundFields>

/** Above this limit, the oldest keys are dropped, except those of refunds. */
const maxLookUpKeys = 200

export const fewLookUpKeysFilter = { [`lookUpKeys.${maxLookUpKeys}`]: { $exists: false } }

/** The hash is keyed, so a copy of the database reveals no phone numbers. */
export const payerHashOf = ({ secrets }: Pick<Deps, 'secrets'>, phone: string): string =>
  secrets.hash(payerText(phone))

export const payerHashesOf = ({ secrets }: Pick<Deps, 'secrets'>, phone: string): string[] =>
  secrets.hashes(payerText(phone))

/** The prefix makes these hashes differ from those of API keys. */
const payerText = (phone: string): string => `payer-phone:${phone}`

export const amountLookUpKey = (businessId: string, amount: number): string =>
  `${businessId}:amount-${amount}`

/** Staff can search for a payment by these keys. */
export const lookUpKeysOf = (
  { businessId, amountType }: { businessId: string; amountType: 'FIXED' | 'OPEN' },
  { id, payerHash, amount }: Pick<PaymentHold, 'id' | 'payerHash' | 'amount'>,
): string[] => [id, payerHash, ...(amountType === 'OPEN' ? [amountLookUpKey(businessId, amount)] : [])]

export const pushLookUpKeys = (keys: readonly string[]) => ({
  lookUpKeys: { $each: keys, $slice: -maxLookUpKeys },
})
