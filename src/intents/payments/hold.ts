import type { Deps } from '../../deps.ts'
import type { Intent } from '../intent.ts'
import { isPayable, neverCancels, transitions } from '../lifecycle.ts'
import { lookUpKeysOf, pushLookUpKeys } from '../look-up-keys.ts'
import type { PlannedChange } from '../transition.ts'
import type { PaymentAttempt, PaymentHold } from './payment.ts'

/**
 * The maximum number of attempts whose outcomes an intent keeps. Older outcomes are dropped.
 */
const maxAttempts = 50

/** Returns the operand of a `$push` that adds the attempt to an intent. */
export const pushAttempt = (attempt: PaymentAttempt) => ({
  attempts: { $each: [attempt], $slice: -maxAttempts },
})

/**
 * Holds an intent for a payment without changing the intent's status. While the hold exists, no other payment, cancel
 * or expiry can change the intent. Returns null if the guard does not match. This happens if the intent is not PENDING,
 * is about to expire or is already held, or if this payment has already ended.
 */
export async function beginPayment(
  deps: Pick<Deps, 'batchers' | 'now'>,
  intent: Intent,
  hold: PaymentHold,
  deadlineAt: number,
): Promise<Intent | null> {
  const { businessId, sandbox, _id } = intent
  const begin = {
    filter: {
      businessId,
      sandbox,
      _id,
      status: { $in: transitions.pay.from },
      ...isPayable(deps.now()),
      'marks.key': { $ne: hold.id },
    },
    update: {
      $set: { hold, cancelsAt: neverCancels },
      // The form makes only this payment, whatever becomes of it.
      $push: { marks: { key: hold.id, at: hold.startedAt }, ...pushLookUpKeys(lookUpKeysOf(intent, hold)) },
    },
    proof: { 'hold.writeId': hold.writeId },
  }
  return (await deps.batchers.updateIntent(begin, deadlineAt)) ? { ...intent, hold, cancelsAt: neverCancels } : null
}

/**
 * Plans the end of a payment whose outcome adds no event. The intent stays PENDING. If the intent's time ran out during
 * the payment, the end of the payment counts as the time of the expiry. The guard requires that this payment still
 * holds the intent.
 */
export function planRelease(intent: Intent, attempt: PaymentAttempt): PlannedChange {
  const { businessId, sandbox, _id, expiresAt } = intent
  const { id, at } = attempt
  const change = { hold: null, cancelsAt: expiresAt, ...(at > expiresAt ? { updatedAt: at } : {}) }
  return {
    transition: null,
    filter: { businessId, sandbox, _id, 'hold.id': id },
    update: { $set: change, $push: pushAttempt(attempt) },
    after: { ...intent, ...change },
  }
}
