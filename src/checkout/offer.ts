import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { IntentStatus } from '../../schemas/intents.ts'
import { ratesAt } from '../businesses/business.ts'
import { readAmountField } from '../http/pages/forms.ts'
import { localizedPath } from '../http/pages/locale.ts'
import { isCodeActive } from '../intents/codes.ts'
import type { CheckoutIntent } from '../intents/find.ts'
import type { IntentWithoutRefunds } from '../intents/intent.ts'
import { isPending, isSurelyUnexpired } from '../intents/lifecycle.ts'
import { intentAsOf } from '../intents/present.ts'
import { acceptsPayments } from '../intents/transition.ts'
import type { Deps } from '../platform/deps.ts'
import { type Commission, commissionOf } from '../wallets/commission.ts'
import type { Wallet } from '../wallets/wallet.ts'
import { sendCheckoutPage } from './layout.ts'
import type { Locale } from './locale.ts'

/** A `pending` payment becomes `expired` a second before its intent expires. */
export type CheckoutState = 'pending' | 'waiting' | 'paid' | 'refunded' | 'cancelled' | 'expired' | 'failed'

export function checkoutStateOf(stored: IntentWithoutRefunds, now: Date): CheckoutState {
  const { status, hold, cancellationReason } = intentAsOf(stored, now)
  if (isPending(status) && hold !== null) return 'waiting'
  if (isPending(status) && !isSurelyUnexpired(stored, now)) return 'expired'
  return cancellationReason === 'expired' ? 'expired' : (status.toLowerCase() as Lowercase<IntentStatus>)
}

export const canStateChange = (state: CheckoutState): state is 'pending' | 'waiting' =>
  state === 'pending' || state === 'waiting'

/**
 * Adds `reference` and `status` to the merchant's URL. The rest of the URL
 * doesn't change, so the merchant's signature over it stays valid.
 */
export function returnUrl(
  { successUrl, cancelUrl, referenceNumber, status }: IntentWithoutRefunds,
  state: CheckoutState,
): string | null {
  const url = state === 'paid' || state === 'refunded' ? successUrl : cancelUrl
  if (url === null) return null
  const [, address = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? []
  const kept = query === '' ? '' : `${query}&`
  return `${address}?${kept}reference=${referenceNumber}&status=${status}${fragment}`
}

export type CheckoutView = '' | '/qr'

export interface Offer {
  intent: CheckoutIntent
  state: CheckoutState
  locale: Locale
  path: string
  view: CheckoutView
  /** The page adds this proof to its own URLs (proofs.ts). */
  proof: string
  /** Id of the payment from this customer's form. Null for other visitors. */
  sent: string | null
  now: Date
}

export const remainingMs = ({ intent, now }: Offer): number => intent.expiresAt.getTime() - now.getTime()

export type OfferHandler = (deps: Deps, offer: Offer, req: Request, res: Response) => void | Promise<void>

export const ownPaymentQuery = (sent: string | null): Record<string, string> =>
  sent === null ? {} : { sent }

const ownAddress = ({ locale, path, proof }: Offer, below: string, query: Record<string, string>) =>
  localizedPath(locale, path + below, { ...query, proof })

export const currentPageUrl = (offer: Offer): string =>
  ownAddress(offer, offer.view, ownPaymentQuery(offer.sent))

/** Here the customer pays, or first enters the amount of an OPEN intent. */
export const offerStartUrl = (offer: Offer): string => ownAddress(offer, '', {})

export const qrImageUrl = (offer: Offer, format: 'svg' | 'png'): string =>
  ownAddress(offer, `/qr.${format}`, {})

export const pollAttributes = (offer: Offer): string =>
  html`data-live="${ownAddress(offer, '/status', {})}" data-state="${offer.state}" data-here="${currentPageUrl(offer)}"!${showsCode(offer) ? ' data-code' : ''}`

export const showsCode = ({ intent, view, now }: Offer): boolean =>
  view === '/qr' && isCodeActive(intent, now)

/** `query` contains neither the language nor the proof. */
export interface CheckoutPageContent {
  title: string
  query: Record<string, string>
  body: string
}

export function sendOfferPage(
  res: Response,
  status: number,
  { locale, path, view, proof, intent: { sandbox } }: Offer,
  sheet: CheckoutPageContent,
): void {
  const { title, body } = sheet
  const query = { ...sheet.query, proof }
  sendCheckoutPage(res, status, { locale, title, path: path + view, query, sandbox }, body)
}

/** Only an OPEN intent lets the customer choose the amount. */
export const chosenAmountOf = (
  { config }: Pick<Deps, 'config'>,
  { intent: { amountType, amount }, locale }: Offer,
  typed: string,
): ReturnType<typeof readAmountField> =>
  amountType !== 'OPEN' && amount !== null ? { amount } : readAmountField(locale, typed, config.maxAmount)

export const currentCommission = (
  { config }: Pick<Deps, 'config'>,
  { intent, now }: Offer,
  amount: number,
): Commission => commissionOf(amount, ratesAt(intent.commission, config.commissionRates, now))

/** Null, for example, if the business is suspended. */
export const usableWalletFor = ({ wallets }: Pick<Deps, 'wallets'>, intent: CheckoutIntent): Wallet | null =>
  intent.isSuspended || !acceptsPayments(intent) ? null : wallets.forPayments(intent.sandbox)
