import { pastMongoose } from '../../mongo/collection.ts'
import type { OneAtATime } from '../../process/one-at-a-time.ts'
import type { KnownOutcome, RefundOrder } from '../wallet.ts'
import type { MovingDeps } from './finish.ts'
import { move, withoutMoving } from './move.ts'

/** Gives the money of a payment, or a part of it, back to the wallet that it came from. */
export async function refund(
  deps: MovingDeps & { moveOneAtATime: OneAtATime },
  { key, amount, validUntil, paymentKey }: RefundOrder,
): Promise<KnownOutcome> {
  const order = { key, kind: 'refund', amount, paymentKey, validUntil } as const
  const payment = await pastMongoose(deps.WalletMovement).findOne({ _id: paymentKey })
  if (payment?.result.outcome !== 'done' || payment.accountId === null)
    return withoutMoving(deps, order, { outcome: 'failed', reason: 'technical_error' })
  const { accountId } = payment
  return deps.moveOneAtATime(accountId, () => move(deps, accountId, order))
}
