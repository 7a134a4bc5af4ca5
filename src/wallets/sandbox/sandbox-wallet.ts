import { nativeCollection } from '../../mongo/collection.ts'
import { createOneAtATime, type OneAtATime } from '../../process/one-at-a-time.ts'
import { fairShare, type SlowHash } from '../../security/slow-hash.ts'
import type { KnownOutcome, RefundOrder, StatusQuery, Wallet } from '../wallet.ts'
import { authorise } from './authorise.ts'
import { pin as demoPin } from './demo-wallets.ts'
import { finishMovement, type MovementDeps } from './finish.ts'
import { decide } from './movement.ts'
import { decideWithoutMoney, transfer } from './transfer.ts'

/**
 * Creates the wallet for test intents. Its accounts are stored in MongoDB and have PINs and balances, but no real
 * money.
 */
export function createSandboxWallet(deps: MovementDeps & { slowHash: SlowHash }): Wallet {
  // Serving each wallet's orders one at a time is only an optimisation, because the guarded writes already keep the
  // balances correct. Without this optimisation, concurrent orders for one wallet would often find the wallet busy,
  // which would cost two MongoDB calls each time.
  const oneAtATime = { onePinAtATime: createOneAtATime(), oneMovementAtATime: createOneAtATime() }
  const checkPin = deps.slowHash.createCheck(fairShare)
  // All demo wallets have the same PIN, so a process hashes it only once.
  let demoPinHash: Promise<string> | undefined
  const hashDemoPin = () => (demoPinHash ??= deps.slowHash.make(demoPin))
  const ordering = { ...deps, ...oneAtATime, checkPin, hashDemoPin }
  return {
    name: 'sandbox',
    authorise: (order) => authorise(ordering, order),
    refund: (order) => refund(ordering, order),
    status: (query) => status(deps, query),
  }
}

/** Returns all or part of a payment and its fee to the wallet that made the payment. */
async function refund(
  deps: MovementDeps & { oneMovementAtATime: OneAtATime },
  { key, amount, fee, validUntil, paymentKey }: RefundOrder,
): Promise<KnownOutcome> {
  const order = { key, kind: 'refund', amount, fee, paymentKey, validUntil } as const
  const payment = await nativeCollection(deps.WalletMovement).findOne({ _id: paymentKey })
  if (payment?.result.outcome !== 'done' || payment.accountId === null)
    return decideWithoutMoney(deps, order, { outcome: 'failed', reason: 'technical_error' })
  const { accountId } = payment
  return deps.oneMovementAtATime(accountId, () => transfer(deps, accountId, order))
}

/**
 * Returns an order's outcome. If the order has not been decided yet, this function decides that the order is not
 * executed. If a write for the order arrives later, `finishMovement` undoes that write.
 */
async function status(deps: MovementDeps, { kind, key }: StatusQuery): Promise<KnownOutcome> {
  const moving = await nativeCollection(deps.WalletAccount).findOne({ 'current.key': key })
  if (moving?.current) await finishMovement(deps, moving._id, moving.current)
  const unseen = { nonce: null, accountId: null, amount: null, fee: null }
  const row = await decide(deps, { _id: key, kind, ...unseen, result: { outcome: 'not-executed' } })
  return row.result
}
