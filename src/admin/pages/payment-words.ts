import type { PaymentAttempt } from '../../intents/payments/payment.ts'
import type { WalletName } from '../../wallets/wallet.ts'

/** Whose wallet a payment was made by. */
export function walletInWords(wallet: WalletName): string {
  if (wallet === 'sandbox') return 'a wallet of the sandbox'
  if (wallet === 'simulation') return 'nobody: it was simulated'
  return `the wallet provider ${wallet.slice('live:'.length)}`
}

const reasonWords: Record<NonNullable<PaymentAttempt['reason']>, string> = {
  wrong_pin: 'the phone number and the PIN do not fit',
  wallet_locked: 'the wallet is locked after too many wrong PINs',
  insufficient_funds: 'there is not enough money in the wallet',
  limit_exceeded: 'it is more than the wallet may pay',
  technical_error: 'the wallet had a technical error',
  wallet_closed: 'the wallet is closed',
}

export const reasonInWords = (reason: keyof typeof reasonWords): string =>
  `${reasonWords[reason]} (${reason})`

const outcomeWords: Record<PaymentAttempt['outcome'], string> = {
  done: 'paid',
  refused: 'refused, nobody was told',
  declined: 'declined, and may be tried again',
  failed: 'failed for good',
  'not-executed': 'the wallet was not reached, no money moved',
}

/** What came of an attempt to pay: `declined, and may be tried again: there is not enough money in the wallet (insufficient_funds)`. */
export const paymentOutcome = ({ outcome, reason }: Pick<PaymentAttempt, 'outcome' | 'reason'>): string =>
  reason === null ? outcomeWords[outcome] : `${outcomeWords[outcome]}: ${reasonInWords(reason)}`

/** Why a refund was not made; whoever asked for it was told that it failed. */
export const refundOutcome = ({ reason }: Pick<PaymentAttempt, 'reason'>): string =>
  reason === null ? outcomeWords['not-executed'] : reasonInWords(reason)
