import type { Deps } from '../../deps.ts'
import type { Intent, PaymentAttempt, PaymentUnderWay } from '../intent.ts'
import { isFree, moves } from '../lifecycle.ts'

/** So many attempts are remembered. */
const longestMemory = 50

/** What a payment that came to an end leaves in the intent, as update operators. */
export const logged = (attempt: PaymentAttempt) => ({
  attempts: { $each: [attempt], $slice: -longestMemory },
})

/**
 * Puts a payment under way: while it stands nobody else pays, cancels or expires the intent. Null when the guard refused: it
 * is not PENDING, its time is up, somebody pays, or this payment came to an end already. A status never changes here.
 */
export const beginPayment = (
  deps: Pick<Deps, 'Intent' | 'now'>,
  { businessId, sandbox, _id }: Pick<Intent, 'businessId' | 'sandbox' | '_id'>,
  underWay: PaymentUnderWay,
): Promise<Intent | null> =>
  deps.Intent.findOneAndUpdate(
    {
      businessId,
      sandbox,
      _id,
      status: { $in: moves.pay.from },
      ...isFree(deps.now()),
      'attempts.id': { $ne: underWay.id },
    },
    { $set: { underWay } },
    { returnDocument: 'after' },
  ).lean<Intent | null>()

/** Ends a payment of which nobody needs to hear: the intent is as before. Null when it is not under way any more. */
export const releasePayment = (
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Pick<Intent, 'businessId' | 'sandbox' | '_id'>,
  attempt: PaymentAttempt,
): Promise<Intent | null> =>
  deps.Intent.findOneAndUpdate(
    { businessId, sandbox, _id, 'underWay.id': attempt.id },
    { $set: { underWay: null }, $push: logged(attempt) },
    { returnDocument: 'after' },
  ).lean<Intent | null>()

/** Notes when the wallet shall be asked (again) what became of a payment. */
export async function askPaymentAt(
  deps: Pick<Deps, 'Intent'>,
  { businessId, sandbox, _id }: Pick<Intent, 'businessId' | 'sandbox' | '_id'>,
  paymentId: string,
  askAt: Date,
): Promise<void> {
  await deps.Intent.updateOne(
    { businessId, sandbox, _id, 'underWay.id': paymentId },
    { $set: { 'underWay.askAt': askAt } },
  )
}
