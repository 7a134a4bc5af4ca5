import { nativeCollection } from '../../mongo/collection.ts'
import { createOneAtATime, type OneAtATime } from '../../process/one-at-a-time.ts'
import { fairShare, type SlowHash } from '../../security/slow-hash.ts'
import type { KnownOutcome, RefundOrder, StatusQuery, Wallet } from '../wallet.ts'
import { authorise } from './authorise.ts'
import { finishMovement, type MovementDeps } from './finish.ts'
import { decide } from './movement.ts'
import { decideWithoutMoney, transfer } from './transfer.ts'

/** The wallet of test intents: accounts in MongoDB with PINs and balances, but without real money. */
export function createSandboxWallet(deps: MovementDeps & { slowHash: SlowHash }): Wallet {
  // For speed only, because the guarded writes keep the balances right. Without it, concurrent orders for one wallet
  // would find it busy, and each such attempt costs two calls to MongoDB.
  const oneAtATime = { onePinAtATime: createOneAtATime(), oneMovementAtATime: createOneAtATime() }
  const ordering = { ...deps, ...oneAtATime, checkPin: deps.slowHash.createCheck(fairShare) }
  return {
    name: 'sandbox',
    authorise: (order) => authorise(ordering, order),
    refund: (order) => refund(ordering, order),
    status: (query) => status(deps, query),
  }
}

/** Returns the money of a payment, or a part of it, to the wallet that paid. */
async function refund(
  deps: MovementDeps & { oneMovementAtATime: OneAtATime },
  { key, amount, validUntil, paymentKey }: RefundOrder,
): Promise<KnownOutcome> {
  const order = { key, kind: 'refund', amount, paymentKey, validUntil } as const
  const payment = await nativeCollection(deps.WalletMovement).findOne({ _id: paymentKey })
  if (payment?.result.outcome !== 'done' || payment.accountId === null)
    return decideWithoutMoney(deps, order, { outcome: 'failed', reason: 'technical_error' })
  const { accountId } = payment
  return deps.oneMovementAtATime(accountId, () => transfer(deps, accountId, order))
}

/**
 * Returns the outcome of an order. Decides an undecided order as not executed. If a write of it lands later,
 * `finishMovement` undoes the write.
 */
async function status(deps: MovementDeps, { kind, key }: StatusQuery): Promise<KnownOutcome> {
  const moving = await nativeCollection(deps.WalletAccount).findOne({ 'current.key': key })
  if (moving?.current) await finishMovement(deps, moving._id, moving.current)
  const unseen = { nonce: null, accountId: null, amount: null }
  const row = await decide(deps, { _id: key, kind, ...unseen, result: { outcome: 'not-executed' } })
  return row.result
}
