import { isDuplicate, pastMongoose } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { newAccount, type WalletAccount } from './account.ts'
import { demoWallets } from './demo-wallets.ts'

type FindDeps = Pick<Models, 'WalletAccount'> & { now(): Date }

/** The wallet of a phone number as a business meets it: the one that was made, else its own demo wallet, which appears now. */
export async function findAccount(
  deps: FindDeps,
  businessId: string,
  phone: string,
): Promise<WalletAccount | null> {
  const demoId = `${businessId}-${phone}`
  const found = await pastMongoose(deps.WalletAccount)
    .find({ _id: { $in: [phone, demoId] } })
    .toArray()
  const made = found.find(({ _id }) => _id === phone) ?? found[0]
  return made ?? (await openDemo(deps, { _id: demoId, businessId, phone }))
}

/** Many at once open it once: the id is the same, and so is all that matters here. */
async function openDemo(
  deps: FindDeps,
  owner: { _id: string; businessId: string; phone: string },
): Promise<WalletAccount | null> {
  const demo = demoWallets[owner.phone]
  if (demo === undefined) return null
  const { pinHash, balance } = demo
  const account = newAccount({ ...owner, pinHash, balance }, deps.now())
  await pastMongoose(deps.WalletAccount)
    .insertOne(account)
    .catch((error: unknown) => {
      if (!isDuplicate(error)) throw error
    })
  return account
}

/** What this wallet does instead of paying, if it is one of those. */
export const fixedOutcomeOf = ({ businessId, phone }: WalletAccount) =>
  businessId === null ? null : (demoWallets[phone]?.habit ?? null)
