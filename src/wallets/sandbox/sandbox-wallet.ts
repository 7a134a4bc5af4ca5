import { pastMongoose } from '../../mongo/collection.ts'
import { createOneAtATime, type OneAtATime } from '../../process/one-at-a-time.ts'
import { fairShare, type SlowHash } from '../../security/slow-hash.ts'
import type { KnownOutcome, RefundOrder, StatusQuery, Wallet } from '../wallet.ts'
import { authorise } from './authorise.ts'
import { finishMovement, type MovementDeps } from './finish.ts'
import { decideWithoutMoney, moveMoney } from './move-money.ts'
import { decide } from './movement.ts'

/** The wallets that test intents are paid by: in MongoDB, with PINs and balances, and no money. */
export function createSandboxWallet(deps: MovementDeps & { slowHash: SlowHash }): Wallet {
  // Not what keeps the books right, that is in the writes: a hundred customers of one wallet would only be in each other's way, and
  // each who finds it busy costs two trips to MongoDB.
  const oneAtATime = { onePinAtATime: createOneAtATime(), oneMovementAtATime: createOneAtATime() }
  const ordering = { ...deps, ...oneAtATime, checkPin: deps.slowHash.createCheck(fairShare) }
  return {
    name: 'sandbox',
    authorise: (order) => authorise(ordering, order),
    refund: (order) => refund(ordering, order),
    status: (question) => status(deps, question),
  }
}

/** Gives the money of a payment, or a part of it, back to the wallet that it came from. */
async function refund(
  deps: MovementDeps & { oneMovementAtATime: OneAtATime },
  { key, amount, validUntil, paymentKey }: RefundOrder,
): Promise<KnownOutcome> {
  const order = { key, kind: 'refund', amount, paymentKey, validUntil } as const
  const payment = await pastMongoose(deps.WalletMovement).findOne({ _id: paymentKey })
  if (payment?.result.outcome !== 'done' || payment.accountId === null)
    return decideWithoutMoney(deps, order, { outcome: 'failed', reason: 'technical_error' })
  const { accountId } = payment
  return deps.oneMovementAtATime(accountId, () => moveMoney(deps, accountId, order))
}

/**
 * What became of an order. One that nobody has decided is decided now: it can never be carried out, and a write of it that lands
 * later is undone by whoever meets it.
 */
async function status(deps: MovementDeps, { kind, key }: StatusQuery): Promise<KnownOutcome> {
  const moving = await pastMongoose(deps.WalletAccount).findOne({ 'current.key': key })
  if (moving?.current) await finishMovement(deps, moving._id, moving.current)
  const unseen = { nonce: null, accountId: null, amount: null }
  const row = await decide(deps, { _id: key, kind, ...unseen, result: { outcome: 'not-executed' } })
  return row.result
}
