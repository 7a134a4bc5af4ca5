import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { environmentOf } from '../metrics/metrics.ts'
import { expireIntent } from './expire.ts'
import type { Intent } from './intent.ts'
import { isPending, isRefundable } from './lifecycle.ts'
import { asOf, expiryFields } from './present.ts'

/** Returns the unique key of a merchant's reference, or no field if the intent has no reference. */
export const referenceKeyOf = (
  { businessId, sandbox }: Pick<Intent, 'businessId' | 'sandbox'>,
  { merchantReference }: Pick<Intent, 'merchantReference'>,
): Pick<Intent, 'referenceKey'> =>
  merchantReference === null ? {} : { referenceKey: `${environmentOf({ sandbox })}:${businessId}:${merchantReference}` }

const holderFields = { referenceNumber: 1, ...expiryFields }
type Holder = Pick<Intent, keyof typeof holderFields>

/**
 * Frees the merchant's reference of a new intent, if the intent that has it is overdue: it is expired now, even if no
 * worker is running. Throws MERCHANT_REFERENCE_TAKEN if that intent is PENDING, PAID or REFUNDED. Returns false if
 * there is no such intent.
 */
export async function freeReference(deps: Deps, intent: Intent, deadlineAt: number): Promise<boolean> {
  const now = deps.now()
  const holder = await deps.Intent.findOne({ referenceKey: intent.referenceKey ?? '' }, holderFields).lean<Holder>()
  if (holder === null) return false
  const { status, referenceNumber } = asOf(holder, now)
  if (isPending(status) || isRefundable(status)) {
    deps.shortCodes.giveBack(intent.shortCode)
    throw taken(referenceNumber)
  }
  await expireIntent(deps, referenceNumber, deadlineAt)
  return true
}

const taken = (referenceNumber: string) =>
  refuse('MERCHANT_REFERENCE_TAKEN', { param: 'merchantReference', details: { referenceNumber } })
