import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import { date, oneOf, optional, orNull, part, text, type ValueOfField, whole } from '../mongo/fields.ts'
import type { Deps } from '../platform/deps.ts'
import { commissionFields, returnedFeesFields } from '../wallets/commission.ts'
import type { PinRefusalReason, WalletName } from '../wallets/wallet.ts'

// All amounts and fees are in centimes. Phone numbers are masked, for example `22 ** ** 45`.

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

/** Until the outcome of a payment is known, its hold blocks other payments, cancels and the expiry. */
export const holdFields = part({
  /** The payment's id, and its idempotency key at the wallet. */
  id: text,
  wallet: oneOf<WalletName>(),
  amount: whole,
  /** Uses the rates at the start of the payment. The payer is charged `amount + payerTtc`. */
  commission: commissionFields,
  payerPhone: text,
  payerHash: text,
  startedAt: date,
  /** The customer's IP address, for the limit on refused PINs. Unknown if no proxy reported it. */
  clientIp: optional(text),
  /** The wallet must not carry out the payment after this time. */
  validUntil: date,
  queryAt: date,
  /** Distinguishes concurrent submissions of the same form. */
  writeId: text,
})
export type PaymentHold = ValueOfField<typeof holdFields>

/** A payment that has ended (with any outcome) or a failed refund. Support staff see all attempts. */
export const paymentAttemptFields = part({
  kind: oneOf<'payment' | 'refund'>(),
  id: text,
  at: date,
  /** Missing if the payment began and ended in one write, as in a simulation. */
  startedAt: optional(date),
  amount: whole,
  /** The payer's fee, which a payment charges and a refund returns in addition to `amount`. */
  fee: whole,
  payerPhone: text,
  payerHash: optional(text),
  outcome: oneOf<'done' | 'refused' | 'declined' | 'failed' | 'not-executed'>(),
  reason: orNull(oneOf<PinRefusalReason | DeclineReason | FailureReason>()),
  /** Lets the writer check that its write took effect. */
  writeId: text,
})
export type PaymentAttempt = ValueOfField<typeof paymentAttemptFields>

/** A refund is PENDING until the wallet reports the outcome, and removed if it wasn't carried out. */
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

/** The oldest keys are dropped, except those of refunds. The successful payment's key is always recent. */
const maxLookUpKeys = 200

export const fewLookUpKeysFilter = { [`lookUpKeys.${maxLookUpKeys}`]: { $exists: false } }

/** The hash is keyed, so a copy of the database reveals no phone numbers. Pass a result of `readPhone`. */
export const payerHashOf = ({ secrets }: Pick<Deps, 'secrets'>, phone: string): string =>
  secrets.hash(payerText(phone))

/** Includes the hashes under earlier SECRET_KEYs. */
export const payerHashesOf = ({ secrets }: Pick<Deps, 'secrets'>, phone: string): string[] =>
  secrets.hashes(payerText(phone))

/** The prefix keeps these hashes apart from those of API keys and session tokens. */
const payerText = (phone: string): string => `payer-phone:${phone}`

export const amountLookUpKey = (businessId: string, amount: number): string =>
  `${businessId}:amount-${amount}`

/** Staff can search a payment by these keys. The amount is among them only for an OPEN intent. */
export const lookUpKeysOf = (
  { businessId, amountType }: { businessId: string; amountType: 'FIXED' | 'OPEN' },
  { id, payerHash, amount }: Pick<PaymentHold, 'id' | 'payerHash' | 'amount'>,
): string[] => [id, payerHash, ...(amountType === 'OPEN' ? [amountLookUpKey(businessId, amount)] : [])]

export const pushLookUpKeys = (keys: readonly string[]) => ({
  lookUpKeys: { $each: keys, $slice: -maxLookUpKeys },
})
