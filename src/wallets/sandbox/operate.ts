import { type AuditedDeps, audited } from '../../audit/audited.ts'
import { maskPhone } from '../../input/phone.ts'
import { nativeCollection, nullIfDuplicate } from '../../mongo/collection.ts'
import { type IdPage, type IdPageRequest, mapPage, readIdPage } from '../../mongo/id-page.ts'
import type { Deps, Models } from '../../platform/deps.ts'
import { withoutUndefined } from '../../platform/without-undefined.ts'
import type { By } from '../../security/actor.ts'
import type { SlowHash } from '../../security/slow-hash.ts'
import type { KnownOutcome } from '../wallet.ts'
import { newAccount, type PinState, pinState, type WalletAccount } from './account.ts'
import { fixedOutcomeOf } from './sandbox-wallet.ts'

/** Creates a wallet that every business sees. Returns null if the number already has such a wallet. */
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

export interface WalletFacts extends Pick<WalletAccount, 'phone' | 'businessId' | 'balance' | 'createdAt'> {
  pin: PinState
  /** Every payment from a demo wallet ends like this (docs/merchants/testing.md). Null if outcomes vary. */
  fixedOutcome: KnownOutcome | null
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
  const page = await readIdPage(deps.WalletAccount, withoutUndefined(filter), slice, { byName: true })
  return mapPage(page, (account) => ({ ...walletFacts(deps, account), phone: maskPhone(account.phone) }))
}

/** Without a business id, finds the wallet that every business sees. */
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
    pinHash === null ? ({ outcome: 'refused', reason: 'wrong_pin' } as const) : fixedOutcomeOf(account)
  return { phone, businessId, balance, pin: pinState(account, deps.now()), fixedOutcome, createdAt }
}
