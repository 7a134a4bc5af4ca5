import { html } from 'ghtml'
import { currencyCode, decimal } from '../../schemas/currency.ts'
import type { PaymentAttempt } from '../intents/records.ts'
import type { WalletName } from '../wallets/wallet.ts'
import { maxCounted } from '../webhooks/deliveries/backlog.ts'
import type { AttemptRecord } from '../webhooks/deliveries/delivery.ts'

/**
 * Returns text from a merchant or an endpoint as HTML. The text is escaped, and is isolated so that it keeps its own
 * text direction.
 */
export const userText = (text: string): string => html`<bdi>${text}</bdi>`

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Formats a whole number with separators of thousands, such as `12,500`. */
export const groupDigits = (count: number): string => count.toLocaleString('en')

/** Formats centimes as an amount such as `12,500.00 MRU` (SPEC 1). */
export function money(centimes: number): string {
  const [units = '', cents = ''] = decimal(centimes).split('.')
  return `${groupDigits(Number(units))}.${cents} ${currencyCode}`
}

/** Formats a duration in milliseconds if it is below one second, otherwise in seconds. */
export const duration = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`)

/** Returns a count with its noun, such as `1 delivery` or `2 deliveries`. */
export const deliveriesCounted = (count: number): string =>
  `${count} ${count === 1 ? 'delivery' : 'deliveries'}`

/** Formats a count that is capped at `maxCounted`. */
export const atMost = (count: number): string =>
  count >= maxCounted ? `${maxCounted} or more` : String(count)

/** A description of each stage at which an attempt can fail. */
const stageWords: Record<string, string> = {
  status: 'the response was not a success',
  dns: 'the host name could not be resolved',
  address: 'the address is not public',
  connect: 'the host could not be reached',
  refused: 'the connection was refused',
  tls: 'the TLS connection failed',
  timeout: 'the response was not complete in time',
  closed: 'the connection was closed early',
  protocol: 'the response was not valid HTTP',
  too_large: 'the headers of the response were too large',
}

/**
 * Returns a short description of why an attempt failed, such as `status 500` or `timeout (the response was not complete
 * in time)`.
 */
export function outcomeOf({
  status,
  stage,
  error,
}: Pick<AttemptRecord, 'status' | 'stage' | 'error'>): string {
  if (status !== null) return `status ${status}`
  const reason = error ?? stageWords[stage ?? ''] ?? 'there was no response'
  return `${stage ?? 'failed'} (${reason.charAt(0).toLowerCase()}${reason.slice(1).replace(/\.$/, '')})`
}

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

export const reasonInWords = (reason: keyof typeof reasonWords): string =>
  `${reasonWords[reason]} (${reason})`

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
