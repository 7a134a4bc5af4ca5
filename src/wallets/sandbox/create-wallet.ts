import { auditLine, type By } from '../../audit/audit-event.ts'
import { publishAudit } from '../../audit/publish.ts'
import { isDuplicate, nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import type { SlowHash } from '../../security/slow-hash.ts'
import { maskPhone } from '../phone.ts'
import { newAccount, type WalletAccount } from './account.ts'

/**
 * Creates a sandbox wallet that every business sees under this phone number. Returns null if the number already has
 * such a wallet. The audit line contains the masked phone number, and not the PIN.
 */
export async function createWallet(
  deps: Pick<Models, 'WalletAccount' | 'AuditEvent'> & { slowHash: SlowHash; now(): Date },
  { phone, pin, balance }: { phone: string; pin: string; balance: number },
  by: By,
): Promise<WalletAccount | null> {
  const pinHash = await deps.slowHash.make(pin)
  const now = deps.now()
  const about = { act: 'wallet.created', subject: maskPhone(phone), businessId: null } as const
  const account: WalletAccount = {
    ...newAccount({ _id: phone, phone, businessId: null, pinHash, balance }, now),
    unaudited: [auditLine({ at: now, ...by, ...about, after: { balance } })],
  }
  try {
    await nativeCollection(deps.WalletAccount).insertOne(account)
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
  await publishAudit(deps, deps.WalletAccount, [account])
  return account
}
