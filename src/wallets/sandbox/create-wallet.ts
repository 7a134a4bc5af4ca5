import { isDuplicate, nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import type { SlowHash } from '../../security/slow-hash.ts'
import { newAccount, type WalletAccount } from './account.ts'

/**
 * Creates a sandbox wallet that every business sees under this phone number. Returns null if the number already has
 * such a wallet.
 */
export async function createWallet(
  deps: Pick<Models, 'WalletAccount'> & { slowHash: SlowHash; now(): Date },
  { phone, pin, balance }: { phone: string; pin: string; balance: number },
): Promise<WalletAccount | null> {
  const pinHash = await deps.slowHash.make(pin)
  const account = newAccount({ _id: phone, phone, businessId: null, pinHash, balance }, deps.now())
  try {
    await nativeCollection(deps.WalletAccount).insertOne(account)
    return account
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
}
