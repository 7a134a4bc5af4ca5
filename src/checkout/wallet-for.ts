import type { Deps } from '../deps.ts'
import type { OfferedIntent } from '../intents/find-by-short-code.ts'
import type { Wallet } from '../wallets/wallet.ts'

/** The wallet that can pay an intent now. Null while its business is suspended, or where no wallet is configured. */
export const walletFor = (
  { wallets }: Pick<Deps, 'wallets'>,
  { isSuspended, sandbox }: OfferedIntent,
): Wallet | null => (isSuspended ? null : wallets.forPayments(sandbox))
