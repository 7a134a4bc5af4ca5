import type { Deps } from '../platform/deps.ts'
import type { Intent } from './intent.ts'
import type { PaymentHold } from './records.ts'

/**
 * Limits the keys of payments, and of refunds that were not made. Older ones are dropped, but the payment that
 * succeeded is always among the latest. Keys of PENDING and successful refunds are kept in addition.
 */
const maxKeys = 200

export const fewLookUpKeys = { [`lookUpKeys.${maxKeys}`]: { $exists: false } }

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
  { businessId, amountType }: Pick<Intent, 'businessId' | 'amountType'>,
  { id, payerHash, amount }: Pick<PaymentHold, 'id' | 'payerHash' | 'amount'>,
): string[] => [id, payerHash, ...(amountType === 'OPEN' ? [chosenAmountKey(businessId, amount)] : [])]

export const pushLookUpKeys = (keys: readonly string[]) => ({ lookUpKeys: { $each: keys, $slice: -maxKeys } })
