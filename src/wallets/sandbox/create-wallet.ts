import { type AuditedDeps, audited } from '../../audit/audited.ts'
import { maskPhone } from '../../input/phone.ts'
import { nativeCollection, nullIfDuplicate } from '../../mongo/collection.ts'
import type { Models } from '../../platform/deps.ts'
import type { By } from '../../security/actor.ts'
import type { SlowHash } from '../../security/slow-hash.ts'
import { newAccount, type WalletAccount } from './account.ts'

/**
 * Creates a wallet that every business sees; null if the number has one. The audit line has the masked phone number.
 */
export async function createWallet(
  deps: Pick<Models, 'WalletAccount'> & AuditedDeps & { slowHash: SlowHash },
  { phone, pin, balance }: { phone: string; pin: string; balance: number },
  by: By,
): Promise<WalletAccount | null> {
  const pinHash = await deps.slowHash.make(pin)
  return audited(deps, { documents: [phone], by }, async ({ session, at, add }) => {
    const account = newAccount({ _id: phone, phone, businessId: null, pinHash, balance }, at)
    await nativeCollection(deps.WalletAccount).insertOne(account, { session })
    await add({ act: 'wallet.created', subject: maskPhone(phone), businessId: null, after: { balance } })
    return account
  }).catch(nullIfDuplicate)
}
