import { addLines } from '../../audit/add-lines.ts'
import { auditLine, type By } from '../../audit/audit-event.ts'
import { isDuplicate, nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { type Transactions, transaction } from '../../mongo/transaction.ts'
import type { SlowHash } from '../../security/slow-hash.ts'
import { maskPhone } from '../phone.ts'
import { newAccount, type WalletAccount } from './account.ts'

type CreateDeps = Pick<Models, 'WalletAccount' | 'AuditEvent'> & {
  transactions: Transactions
  slowHash: SlowHash
  now(): Date
}

/**
 * Creates a sandbox wallet that every business sees under this phone number. Returns null if the number already has
 * such a wallet. The audit line contains the masked phone number, and not the PIN.
 */
export async function createWallet(
  deps: CreateDeps,
  { phone, pin, balance }: { phone: string; pin: string; balance: number },
  by: By,
): Promise<WalletAccount | null> {
  const pinHash = await deps.slowHash.make(pin)
  const now = deps.now()
  const account = newAccount({ _id: phone, phone, businessId: null, pinHash, balance }, now)
  const about = { act: 'wallet.created', subject: maskPhone(phone), businessId: null } as const
  const line = auditLine({ at: now, ...by, ...about, after: { balance } })
  try {
    await transaction(deps, { documents: [phone], deadlineAt: performance.now() + 10_000 }, async (session) => {
      await nativeCollection(deps.WalletAccount).insertOne(account, { session })
      await addLines(deps, [line], session)
    })
    return account
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
}
