import type { DeclineReason, FailureReason } from '../../schemas/payment-reasons.ts'
import { date, type Of, oneOf, optional, orNull, part, text, whole } from '../mongo/fields.ts'
import type { Deps } from '../platform/deps.ts'
import { commissionFields, returnedFeesFields } from '../wallets/commission.ts'
import type { RefusalReason, WalletName } from '../wallets/wallet.ts'

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
export type Payment = Of<typeof paymentFields>

/** While a payment's outcome is unknown, it keeps other payments, cancels and the expiry away from the intent. */
export const holdFields = part({
  /** The payment's id, and its idempotency key at the wallet. */
  id: text,
  wallet: oneOf<WalletName>(),
  amount: whole,
  /** With the rates at the start of the payment. The payer is charged `amount` and `payerTtc`. */
  commission: commissionFields,
  payerPhone: text,
  payerHash: text,
  startedAt: date,
  /** The customer's address, for the limit on refused PINs. It's unknown if no proxy reported it. */
  clientIp: optional(text),
  /** The wallet must not carry out the payment after this. */
  validUntil: date,
  queryAt: date,
  /** Distinguishes two concurrent attempts with the same form. */
  writeId: text,
})
export type PaymentHold = Of<typeof holdFields>

/** A payment that has ended, whatever its outcome, or a refund that was not made. Support staff see these. */
export const attemptFields = part({
  kind: oneOf<'payment' | 'refund'>(),
  id: text,
  at: date,
  /** Missing if it began and ended in one write, as in a simulation. */
  startedAt: optional(date),
  amount: whole,
  /** The payer's fee. The payment would charge it, or the refund give it back, in addition to `amount`. */
  fee: whole,
  payerPhone: text,
  payerHash: optional(text),
  outcome: oneOf<'done' | 'refused' | 'declined' | 'failed' | 'not-executed'>(),
  reason: orNull(oneOf<RefusalReason | DeclineReason | FailureReason>()),
  /** Proves to its writer that the write took effect. */
  writeId: text,
})
export type PaymentAttempt = Of<typeof attemptFields>

/** PENDING while the outcome at the wallet is unknown. A refund that the wallet didn't carry out is removed. */
export const refundFields = part({
  /** `RF-…`, also the idempotency key at the wallet. */
  id: text,
  amount: whole,
  returnedFees: returnedFeesFields,
  reason: orNull(text),
  status: oneOf<'PENDING' | 'SUCCEEDED'>(),
  createdAt: date,
  refundedAt: optional(date),
  /** Two processes may settle the refund at the same moment. */
  writeId: optional(text),
  validUntil: date,
  queryAt: optional(date),
})
export type Refund = Of<typeof refundFields>

/** Older keys are dropped, except those of refunds. The payment that succeeded is always among the latest. */
const maxLookUpKeys = 200

export const fewLookUpKeys = { [`lookUpKeys.${maxLookUpKeys}`]: { $exists: false } }

/** Keyed, so that a copy of the database doesn't reveal phone numbers. Pass the number as returned by `readPhone`. */
export const payerHashOf = ({ secrets }: Pick<Deps, 'secrets'>, phone: string): string =>
  secrets.hash(payerText(phone))

/** Includes the hashes under earlier SECRET_KEYs. */
export const payerHashesOf = ({ secrets }: Pick<Deps, 'secrets'>, phone: string): string[] =>
  secrets.hashes(payerText(phone))

/** The prefix keeps these hashes apart from those of API keys and session tokens. */
const payerText = (phone: string): string => `payer-phone:${phone}`

export const chosenAmountKey = (businessId: string, amount: number): string =>
  `${businessId}:amount-${amount}`

/** What staff can search a payment by. The amount is included only for an OPEN intent. */
export const lookUpKeysOf = (
  { businessId, amountType }: { businessId: string; amountType: 'FIXED' | 'OPEN' },
  { id, payerHash, amount }: Pick<PaymentHold, 'id' | 'payerHash' | 'amount'>,
): string[] => [id, payerHash, ...(amountType === 'OPEN' ? [chosenAmountKey(businessId, amount)] : [])]

export const pushLookUpKeys = (keys: readonly string[]) => ({
  lookUpKeys: { $each: keys, $slice: -maxLookUpKeys },
})
