import { nativeCollection } from '../../mongo/collection.ts'
import { isDatabaseFault } from '../../mongo/connect.ts'
import { inBatches } from '../../mongo/in-batches.ts'
import type { Models } from '../../mongo/models.ts'
import type { Log } from '../../process/log.ts'
import type { KnownOutcome } from '../wallet.ts'
import type { CurrentMovement, WalletAccount, WalletOrder } from './account.ts'
import { decide, toLedgerRow, type WalletMovement } from './movement.ts'

export type MovementDeps = Pick<Models, 'WalletAccount' | 'WalletMovement'> & { now(): Date }

/** Returns how an order changes the wallet's balance, in centimes. */
export const balanceChangeOf = ({ kind, amount }: WalletOrder): number =>
  kind === 'refund' ? amount : -amount

/**
 * Finishes a wallet's current movement. The ledger decides whether the movement counts. If it does not, the balance is
 * restored. Any number of processes may call this concurrently for the same movement. All of them get the same outcome,
 * and the balance changes only once.
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
  await nativeCollection(deps.WalletAccount).updateOne(
    { _id: accountId, 'current.nonce': nonce },
    { $set: { current: null }, ...(counts ? {} : { $inc: { balance: -balanceChangeOf(current) } }) },
  )
  return row.result
}

/**
 * Returns a movement's outcome. A refund fails if the payment's refunds would exceed the amount paid. This check is
 * free of races, because the current movement blocks all other refunds of the payment.
 */
async function resultOf(
  deps: MovementDeps,
  { kind, key, amount, paymentKey }: WalletOrder,
): Promise<KnownOutcome> {
  if (kind === 'payment') return { outcome: 'done' }
  const ledger = nativeCollection(deps.WalletMovement)
  const [paid, refunds] = await Promise.all([
    ledger.findOne({ _id: paymentKey }),
    ledger.find({ paymentKey }).toArray(),
  ])
  const others = refunds.filter(({ _id }) => _id !== key)
  const committed = others.reduce((sum, refund) => sum + moved(refund), amount)
  return committed <= moved(paid) ? { outcome: 'done' } : { outcome: 'failed', reason: 'technical_error' }
}

const moved = (row: WalletMovement | null): number => (row?.result.outcome === 'done' ? (row.amount ?? 0) : 0)

/** A running process finishes its movement within milliseconds, so a movement older than this has been abandoned. */
const abandonedAfterMs = 5_000

/**
 * Finishes movements that dead processes left behind, and returns the number of movements. A movement may reach MongoDB
 * even after its process has died.
 */
export function finishMovements(deps: MovementDeps & { log: Log }): Promise<number> {
  const abandonedSince = new Date(deps.now().getTime() - abandonedAfterMs)
  const found = deps.WalletAccount.find(
    { 'current.key': { $exists: true }, 'current.since': { $lte: abandonedSince } },
    { current: 1 },
  ).lean<Pick<WalletAccount, '_id' | 'current'>[]>()
  return inBatches(found.cursor(), async (accounts) => {
    for (const { _id, current } of accounts) if (current !== null) await finishOrLog(deps, _id, current)
  })
}

/**
 * Finishes one wallet's movement. Logs an error, so that it does not prevent other wallets' movements from being
 * finished, but rethrows MongoDB faults.
 */
async function finishOrLog(
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
