import { pastMongoose } from '../../mongo/collection.ts'
import { isDatabaseFault } from '../../mongo/connect.ts'
import { inBatches } from '../../mongo/in-batches.ts'
import type { Models } from '../../mongo/models.ts'
import type { Log } from '../../process/log.ts'
import type { KnownOutcome } from '../wallet.ts'
import type { CurrentMovement, WalletAccount, WalletOrder } from './account.ts'
import { decide, toLedgerRow, type WalletMovement } from './movement.ts'

export type MovementDeps = Pick<Models, 'WalletAccount' | 'WalletMovement'> & { now(): Date }

/** What a movement adds to the balance, in centimes. */
export const balanceChangeOf = ({ kind, amount }: WalletOrder): number =>
  kind === 'refund' ? amount : -amount

/**
 * Ends a wallet's current movement: the ledger decides whether it counts; if not, the wallet gets back what it was before. Whoever
 * meets one may do this, its maker too, however many at once: all come to the same, and the wallet changes once.
 */
export async function finishMovement(
  deps: MovementDeps,
  accountId: string,
  current: CurrentMovement,
): Promise<KnownOutcome> {
  const { nonce } = current
  const result = await resultOf(deps, current)
  const row = await decide(deps, { ...toLedgerRow(current), nonce, accountId, result })
  const counts = row.nonce === nonce && row.result.outcome === 'done'
  await pastMongoose(deps.WalletAccount).updateOne(
    { _id: accountId, 'current.nonce': nonce },
    { $set: { current: null }, ...(counts ? {} : { $inc: { balance: -balanceChangeOf(current) } }) },
  )
  return row.result
}

/** A refund must leave no more given back than was paid; here, because no other of its payment can be decided meanwhile. */
async function resultOf(
  deps: MovementDeps,
  { kind, key, amount, paymentKey }: WalletOrder,
): Promise<KnownOutcome> {
  if (kind === 'payment') return { outcome: 'done' }
  const ledger = pastMongoose(deps.WalletMovement)
  const [paid, refunds] = await Promise.all([
    ledger.findOne({ _id: paymentKey }),
    ledger.find({ paymentKey }).toArray(),
  ])
  const others = refunds.filter(({ _id }) => _id !== key)
  const committed = others.reduce((sum, refund) => sum + moved(refund), amount)
  return committed <= moved(paid) ? { outcome: 'done' } : { outcome: 'failed', reason: 'technical_error' }
}

const moved = (row: WalletMovement | null): number => (row?.result.outcome === 'done' ? (row.amount ?? 0) : 0)

/** Whoever began a movement ends it within milliseconds; one older than this has been left behind. */
const leftBehindMs = 5_000

/** Ends the movements that a process left behind when it died, and those that landed after it. Answers how many there were. */
export function finishMovements(deps: MovementDeps & { log: Log }): Promise<number> {
  const old = new Date(deps.now().getTime() - leftBehindMs)
  const found = deps.WalletAccount.find(
    { 'current.key': { $exists: true }, 'current.since': { $lte: old } },
    { current: 1 },
  ).lean<Pick<WalletAccount, '_id' | 'current'>[]>()
  return inBatches(found.cursor(), async (accounts) => {
    for (const { _id, current } of accounts) if (current !== null) await finishOneOf(deps, _id, current)
  })
}

/** What is wrong with one wallet must not keep the others from their end; of a fault of MongoDB all hear. */
async function finishOneOf(
  deps: MovementDeps & { log: Log },
  accountId: string,
  current: CurrentMovement,
): Promise<void> {
  try {
    await finishMovement(deps, accountId, current)
  } catch (err) {
    if (isDatabaseFault(err)) throw err
    deps.log.error({ err, key: current.key }, 'movement.not-finished')
  }
}
