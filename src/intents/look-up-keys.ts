import type { Deps } from '../platform/deps.ts'
import type { Intent } from './intent.ts'
import type { PaymentHold } from './records.ts'

/**
 * The maximum number of look-up keys of payments and of refunds that were not made. The latest payments' keys are kept,
 * so the payment that succeeded is among them. The keys of refunds that are made or PENDING are kept beside them.
 */
const maxKeys = 200

/** Matches an intent that can keep the key of a refund that was not made. */
export const fewLookUpKeys = { [`lookUpKeys.${maxKeys}`]: { $exists: false } }

/**
 * Returns the keyed hash of a payer's phone number, as returned by `readPhone`. The key is derived from SECRET_KEY, so
 * that a copy of the database does not reveal the numbers.
 */
export const payerHashOf = ({ secrets }: Pick<Deps, 'secrets'>, phone: string): string => secrets.hash(payerText(phone))

/** Returns all hashes under which payments by this phone number may be stored. */
export const payerHashesOf = ({ secrets }: Pick<Deps, 'secrets'>, phone: string): string[] =>
  secrets.hashes(payerText(phone))

/** The prefix keeps these hashes different from the hashes of API keys and session tokens. */
const payerText = (phone: string): string => `payer-phone:${phone}`

/** Returns the look-up key for an amount that the customer chose. */
export const chosenAmountKey = (businessId: string, amount: number): string => `${businessId}:amount-${amount}`

/**
 * Returns the keys by which staff find a payment: the wallet's key, the hash of the payer's phone number and, if the
 * intent is OPEN, the amount.
 */
export const lookUpKeysOf = (
  { businessId, amountType }: Pick<Intent, 'businessId' | 'amountType'>,
  { id, payerHash, amount }: Pick<PaymentHold, 'id' | 'payerHash' | 'amount'>,
): string[] => [id, payerHash, ...(amountType === 'OPEN' ? [chosenAmountKey(businessId, amount)] : [])]

/** Returns the operand of a `$push` that adds the look-up keys of a payment to an intent. */
export const pushLookUpKeys = (keys: readonly string[]) => ({ lookUpKeys: { $each: keys, $slice: -maxKeys } })
