import { isDuplicate, nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { newAccount, type WalletAccount } from './account.ts'
import { demoWallets } from './demo-wallets.ts'

export type FindDeps = Pick<Models, 'WalletAccount'> & { now(): Date; hashDemoPin(): Promise<string> }

/**
 * Returns the wallet that a business sees under a phone number. If a wallet has been explicitly created for this
 * number, that wallet is returned. Otherwise, the business's demo wallet is returned. A demo wallet is created on first
 * use.
 */
export async function findAccount(deps: FindDeps, businessId: string, phone: string): Promise<WalletAccount | null> {
  const demoId = `${businessId}-${phone}`
  const found = await nativeCollection(deps.WalletAccount)
    .find({ _id: { $in: [phone, demoId] } })
    .toArray()
  const made = found.find(({ _id }) => _id === phone) ?? found[0]
  return made ?? (await openDemo(deps, { _id: demoId, businessId, phone }))
}

/**
 * Creates a demo wallet. Even concurrent calls create only one wallet, because they all use the same id. Their hashes
 * may differ, but are of the same PIN.
 */
async function openDemo(
  deps: FindDeps,
  owner: { _id: string; businessId: string; phone: string },
): Promise<WalletAccount | null> {
  const demo = demoWallets[owner.phone]
  if (demo === undefined) return null
  const { pin, balance } = demo
  const pinHash = pin === null ? null : await deps.hashDemoPin()
  const account = newAccount({ ...owner, pinHash, balance }, deps.now())
  try {
    await nativeCollection(deps.WalletAccount).insertOne(account)
    return account
  } catch (error) {
    if (!isDuplicate(error)) throw error
    // Until a majority has the wallet that was just created, a transaction may not see it either.
    return findAccount(deps, owner.businessId, owner.phone)
  }
}

/** Returns the fixed outcome of every payment from this wallet, or null if the outcome is not fixed. */
export const fixedOutcomeOf = ({ businessId, phone }: WalletAccount) =>
  businessId === null ? null : (demoWallets[phone]?.fixedOutcome ?? null)
