import type { Deps } from '../deps.ts'
import type { OfferedIntent } from '../intents/batchers.ts'
import { acceptsPayments } from '../intents/marks.ts'
import type { Wallet } from '../wallets/wallet.ts'

/**
 * Returns the wallet that can currently pay an intent. Returns null if the business is suspended, the intent's outbox
 * is full, or no wallet is configured.
 */
export const walletFor = ({ wallets }: Pick<Deps, 'wallets'>, intent: OfferedIntent): Wallet | null =>
  intent.isSuspended || !acceptsPayments(intent) ? null : wallets.forPayments(intent.sandbox)
