import type { Deps } from '../../deps.ts'
import { recorded } from '../../idempotency/effect.ts'
import type { Intent } from '../intent.ts'
import { isPayable, moves, neverCancels } from '../lifecycle.ts'
import type { PlannedChange } from '../transition.ts'
import type { PaymentAttempt, PaymentHold } from './payment.ts'

/** So many attempts are remembered with how they went. That they were made is remembered with all that was done (idempotency/effect.ts). */
const longestMemory = 50

/** What a payment that came to an end leaves in the intent, as update operators. */
export const logged = (attempt: PaymentAttempt) => ({
  attempts: { $each: [attempt], $slice: -longestMemory },
})

/**
 * Puts a payment under way: while it stands nobody else pays, cancels or expires the intent. Null when the guard refused: it
 * is not PENDING, its time is as good as up, somebody pays, or this payment came to an end already. A status never changes here.
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
      status: { $in: moves.pay.from },
      ...isPayable(deps.now()),
      effects: { $ne: hold.id },
    },
    update: { $set: { hold, cancelsAt: neverCancels } },
    proof: { 'hold.mark': hold.mark },
  }
  return (await deps.batchers.updateIntent(begin, deadlineAt))
    ? { ...intent, hold, cancelsAt: neverCancels }
    : null
}

/**
 * The end of a payment of which nobody needs to hear: the intent is as before, or expires as of now if its time is up. The guard: it is
 * still under way.
 */
export function planRelease(intent: Intent, attempt: PaymentAttempt): PlannedChange {
  const { businessId, sandbox, _id, expiresAt } = intent
  const { id, at } = attempt
  const change = { hold: null, cancelsAt: expiresAt, ...(at > expiresAt ? { updatedAt: at } : {}) }
  return {
    move: null,
    filter: { businessId, sandbox, _id, 'hold.id': id },
    update: { $set: change, $push: { ...logged(attempt), ...recorded(id) } },
    after: { ...intent, ...change },
  }
}

/** Notes when the wallet shall be asked (again) what became of a payment. */
export async function askPaymentAt(
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Pick<Intent, 'businessId' | 'sandbox' | '_id'>,
  paymentId: string,
  askAt: Date,
): Promise<void> {
  await deps.Intent.updateOne(
    { businessId, sandbox, _id, 'hold.id': paymentId },
    { $set: { 'hold.askAt': askAt } },
  )
}
