import { setTimeout as pause } from 'node:timers/promises'
import { nativeCollection } from '../../mongo/collection.ts'
import { newId } from '../../security/ids.ts'
import type { KnownOutcome } from '../wallet.ts'
import type { WalletOrder } from './account.ts'
import { balanceChangeOf, finishMovement, type MovementDeps } from './finish.ts'
import { decide, toLedgerRow } from './movement.ts'

/**
 * The longest pause between two attempts to start a movement while the wallet is busy with another movement. A movement
 * takes roughly this long. The length of each pause is random, so that waiting orders do not all make their next
 * attempt at the same moment.
 */
const maxPauseMs = 15

/**
 * Moves an order's money into or out of a wallet once per key, even if a process dies or a write arrives late. A single
 * write changes the balance and sets the current movement. That write succeeds only if the balance is sufficient and
 * there is no other current movement. The sandbox ledger then decides whether the movement counts. The ledger decides
 * each key only once, so money never moves twice for the same key. If the order's deadline has passed, the outcome is
 * that the order is not executed.
 */
export async function transfer(
  deps: MovementDeps,
  accountId: string,
  { validUntil, ...order }: WalletOrder & { validUntil: Date },
): Promise<KnownOutcome> {
  const accounts = nativeCollection(deps.WalletAccount)
  let waitedFor: string | null = null
  while (deps.now() < validUntil) {
    const current = { ...order, nonce: newId(), since: deps.now() }
    const { matchedCount } = await accounts.updateOne(
      { _id: accountId, current: null, balance: { $gte: -balanceChangeOf(order) } },
      { $set: { current }, $inc: { balance: balanceChangeOf(order) } },
    )
    if (matchedCount > 0) return finishMovement(deps, accountId, current)
    const account = await accounts.findOne({ _id: accountId })
    if (account === null) return decideWithoutMoney(deps, order, { outcome: 'failed', reason: 'wallet_closed' })
    const other = account.current
    if (other === null && account.balance < -balanceChangeOf(order))
      return decideWithoutMoney(deps, order, { outcome: 'declined', reason: 'insufficient_funds' })
    // The wallet had the same movement before the pause, so the process that began the movement may have died.
    if (other !== null && other.nonce === waitedFor) await finishMovement(deps, accountId, other)
    else await pause(Math.random() * maxPauseMs)
    waitedFor = other?.nonce ?? null
  }
  return decideWithoutMoney(deps, order, { outcome: 'not-executed' })
}

/** Decides an order's outcome without moving any money. */
export async function decideWithoutMoney(
  deps: MovementDeps,
  order: WalletOrder,
  result: KnownOutcome,
): Promise<KnownOutcome> {
  const row = await decide(deps, { ...toLedgerRow(order), nonce: null, accountId: null, result })
  return row.result
}
