import type { Deps } from '../deps.ts'
import type { OfferedIntent } from '../intents/batchers.ts'
import { acceptsPayments } from '../intents/payments/accepts-payments.ts'
import type { Wallet } from '../wallets/wallet.ts'

/** The wallet that can pay an intent now. Null while its business is suspended, while its outbox is full, or where no wallet is configured. */
export const walletFor = ({ wallets }: Pick<Deps, 'wallets'>, intent: OfferedIntent): Wallet | null =>
  intent.isSuspended || !acceptsPayments(intent) ? null : wallets.forPayments(intent.sandbox)
