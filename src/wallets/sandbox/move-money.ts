import { setTimeout as pause } from 'node:timers/promises'
import { pastMongoose } from '../../mongo/collection.ts'
import { newId } from '../../security/ids.ts'
import type { KnownOutcome } from '../wallet.ts'
import type { WalletOrder } from './account.ts'
import { balanceChangeOf, finishMovement, type MovementDeps } from './finish.ts'
import { decide, toLedgerRow } from './movement.ts'

/** As long as a movement takes, more or less, so that those who wait for one do not come back all at once. */
const longestPauseMs = 15

/**
 * Moves an order's money into or out of a wallet: once per key, whoever dies in between and however late a write lands. The balance and
 * the movement are one write, guarded by the balance and by no other movement being under way; the ledger then decides whether it
 * counts, because a key can be decided once. An order that comes too late is decided too: it can never be carried out.
 */
export async function moveMoney(
  deps: MovementDeps,
  accountId: string,
  { validUntil, ...order }: WalletOrder & { validUntil: Date },
): Promise<KnownOutcome> {
  const accounts = pastMongoose(deps.WalletAccount)
  let waitedFor: string | null = null
  while (deps.now() < validUntil) {
    const current = { ...order, nonce: newId(), since: deps.now() }
    const { matchedCount } = await accounts.updateOne(
      { _id: accountId, current: null, balance: { $gte: -balanceChangeOf(order) } },
      { $set: { current }, $inc: { balance: balanceChangeOf(order) } },
    )
    if (matchedCount > 0) return finishMovement(deps, accountId, current)
    const account = await accounts.findOne({ _id: accountId })
    if (account === null)
      return decideWithoutMoney(deps, order, { outcome: 'failed', reason: 'wallet_closed' })
    const other = account.current
    if (other === null && account.balance < -balanceChangeOf(order))
      return decideWithoutMoney(deps, order, { outcome: 'declined', reason: 'insufficient_funds' })
    // Met twice, its maker may be dead.
    if (other !== null && other.nonce === waitedFor) await finishMovement(deps, accountId, other)
    else await pause(Math.random() * longestPauseMs)
    waitedFor = other?.nonce ?? null
  }
  return decideWithoutMoney(deps, order, { outcome: 'not-executed' })
}

/** Decides an order that touches no wallet. */
export async function decideWithoutMoney(
  deps: MovementDeps,
  order: WalletOrder,
  result: KnownOutcome,
): Promise<KnownOutcome> {
  const row = await decide(deps, { ...toLedgerRow(order), nonce: null, accountId: null, result })
  return row.result
}
