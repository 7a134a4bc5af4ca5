import type { Deps } from '../deps.ts'
import type { OfferedIntent } from '../intents/find-by-short-code.ts'
import type { Wallet } from '../wallets/wallet.ts'

/** The wallet that an intent can be paid by now: none while its business is switched off, or where none is configured. */
export const walletFor = (
  { wallets }: Pick<Deps, 'wallets'>,
  { isMerchantOn, sandbox }: OfferedIntent,
): Wallet | null => (isMerchantOn ? wallets.forPayments(sandbox) : null)
