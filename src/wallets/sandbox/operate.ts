import { type AuditedDeps, runAudited } from '../../audit/audited.ts'
import { maskPhone } from '../../input/phone.ts'
import { nullIfDuplicate, rawCollection } from '../../mongo/collection.ts'
import { type IdPage, type IdPageRequest, mapIdPage, readPageById } from '../../mongo/id-page.ts'
import type { Deps, Models } from '../../platform/deps.ts'
import { omitUndefined } from '../../platform/without-undefined.ts'
import type { Author } from '../../security/actor.ts'
import type { SlowHash } from '../../security/slow-hash.ts'
import type { KnownWalletOutcome } from '../wallet.ts'
import { newWalletAccount, type PinLockState, pinLockStateOf, type WalletAccount } from './account.ts'
import { demoOutcomeOf } from './sandbox-wallet.ts'

/** Returns null if the number already has a wallet for all businesses. */
export async function createWallet(
  deps: Pick<Models, 'WalletAccount'> & AuditedDeps & { slowHash: SlowHash },
  { phone, pin, balance }: { phone: string; pin: string; balance: number },
  by: Author,
): Promise<WalletAccount | null> {
  const pinHash = await deps.slowHash.make(pin)
  return runAudited(deps, { documents: [phone], by }, async ({ session, at, add }) => {
    const account = newWalletAccount({ _id: phone, phone, businessId: null, pinHash, balance }, at)
    await rawCollection(deps.WalletAccount).insertOne(account, { session })
    await add({ act: 'wallet.created', subject: maskPhone(phone), businessId: null, after: { balance } })
    return account
  }).catch(nullIfDuplicate)
}

export interface WalletFacts extends Pick<WalletAccount, 'phone' | 'businessId' | 'balance' | 'createdAt'> {
  pin: PinLockState
  /** Every payment from a demo wallet ends like this. */
  fixedOutcome: KnownWalletOutcome | null
}

export interface WalletFilter {
  phone?: string
  businessId?: string
}

type Reads = Pick<Deps, 'WalletAccount' | 'now'>

export async function listWallets(
  deps: Reads,
  filter: WalletFilter,
  slice: IdPageRequest,
): Promise<IdPage<WalletFacts>> {
  const page = await readPageById(deps.WalletAccount, omitUndefined(filter), slice, { byName: true })
  return mapIdPage(page, (account) => ({ ...walletFacts(deps, account), phone: maskPhone(account.phone) }))
}

export async function lookUpWallet(
  deps: Reads,
  phone: string,
  businessId: string | null,
): Promise<WalletFacts | null> {
  const account = await deps.WalletAccount.findOne({ phone, businessId }).lean<WalletAccount | null>()
  return account === null ? null : walletFacts(deps, account)
}

function walletFacts(deps: Reads, account: WalletAccount): WalletFacts {
  const { phone, businessId, balance, pinHash, createdAt } = account
  const fixedOutcome =
    pinHash === null ? ({ outcome: 'refused', reason: 'wrong_pin' } as const) : demoOutcomeOf(account)
  return { phone, businessId, balance, pin: pinLockStateOf(account, deps.now()), fixedOutcome, createdAt }
}
