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
export const balanceChangeOf = ({ kind, amount, fee }: WalletOrder): number =>
  kind === 'refund' ? amount + fee : -(amount + fee)

/**
 * Finishes a wallet's current movement. The sandbox ledger decides whether the movement counts. If the movement does
 * not count, the balance is restored. Any number of processes may call this function concurrently for the same
 * movement. All of them get the same outcome, and the balance changes only once.
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
 * Returns a movement's outcome. A refund fails if the payment's refunds would exceed the amount or the fee that was
 * paid. No other refund of the payment can interfere with this check, because the current movement blocks all other
 * movements of the wallet.
 */
async function resultOf(
  deps: MovementDeps,
  { kind, key, amount, fee, paymentKey }: WalletOrder,
): Promise<KnownOutcome> {
  if (kind === 'payment') return { outcome: 'done' }
  const ledger = nativeCollection(deps.WalletMovement)
  const [paid, refunds] = await Promise.all([
    ledger.findOne({ _id: paymentKey }),
    ledger.find({ paymentKey }).toArray(),
  ])
  const others = refunds.filter(({ _id }) => _id !== key)
  const fits = (part: 'amount' | 'fee', own: number): boolean =>
    others.reduce((sum, refund) => sum + moved(refund, part), own) <= moved(paid, part)
  return fits('amount', amount) && fits('fee', fee)
    ? { outcome: 'done' }
    : { outcome: 'failed', reason: 'technical_error' }
}

const moved = (row: WalletMovement | null, part: 'amount' | 'fee'): number =>
  row?.result.outcome === 'done' ? (row[part] ?? 0) : 0

/** A running process finishes its movement within milliseconds, so a movement older than this has been abandoned. */
const abandonedAfterMs = 5_000

/**
 * Finishes the movements that dead processes have left behind. Returns the number of movements found. This function
 * must be called regularly, because a movement may reach MongoDB even after the process that wrote it has died.
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
 * Finishes one wallet's movement. If that fails, the error is logged and not thrown, so that the movements of other
 * wallets are still finished. Only MongoDB faults are thrown.
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
