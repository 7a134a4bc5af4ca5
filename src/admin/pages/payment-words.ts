import type { PaymentAttempt } from '../../intents/records.ts'
import type { WalletName } from '../../wallets/wallet.ts'

/** Returns a readable name for the wallet that made a payment. */
export function walletInWords(wallet: WalletName): string {
  if (wallet === 'sandbox') return 'sandbox wallet'
  if (wallet === 'simulation') return 'none (simulated payment)'
  return `wallet provider ${wallet.slice('live:'.length)}`
}

const reasonWords: Record<NonNullable<PaymentAttempt['reason']>, string> = {
  wrong_pin: 'the phone number or the PIN is wrong',
  wallet_locked: 'the wallet is locked after too many wrong PINs',
  insufficient_funds: 'the wallet does not have enough money',
  limit_exceeded: 'the amount exceeds the limit of the wallet',
  declined: 'the wallet declined without a known reason',
  technical_error: 'the wallet had a technical error',
  wallet_closed: 'the wallet is closed',
}

export const reasonInWords = (reason: keyof typeof reasonWords): string => `${reasonWords[reason]} (${reason})`

const outcomeWords: Record<PaymentAttempt['outcome'], string> = {
  done: 'paid',
  refused: 'refused (the merchant is not notified)',
  declined: 'declined; the customer can try again',
  failed: 'failed permanently',
  'not-executed': 'the wallet was not reached; no money moved',
}

/**
 * Returns the result of an attempt to pay, such as `declined; the customer can try again: the wallet does not have
 * enough money (insufficient_funds)`.
 */
export const paymentOutcome = ({ outcome, reason }: Pick<PaymentAttempt, 'outcome' | 'reason'>): string =>
  reason === null ? outcomeWords[outcome] : `${outcomeWords[outcome]}: ${reasonInWords(reason)}`

/** Returns the reason why a refund failed. */
export const refundOutcome = ({ reason }: Pick<PaymentAttempt, 'reason'>): string =>
  reason === null ? outcomeWords['not-executed'] : reasonInWords(reason)
