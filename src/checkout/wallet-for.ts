import type { Deps } from '../deps.ts'
import type { OfferedIntent } from '../intents/batchers.ts'
import { acceptsPayments } from '../intents/payments/accepts-payments.ts'
import type { Wallet } from '../wallets/wallet.ts'

/**
 * Returns the wallet that can pay an intent now. Returns null while the business is suspended or the outbox is full, or
 * if no wallet is configured.
 */
export const walletFor = ({ wallets }: Pick<Deps, 'wallets'>, intent: OfferedIntent): Wallet | null =>
  intent.isSuspended || !acceptsPayments(intent) ? null : wallets.forPayments(intent.sandbox)
