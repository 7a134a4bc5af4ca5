import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Status } from '../../schemas/intents.ts'
import { isCodeActive } from '../intents/codes.ts'
import type { OfferedIntent } from '../intents/find.ts'
import type { Intent } from '../intents/intent.ts'
import { isOpenEverywhere, isPending } from '../intents/lifecycle.ts'
import { asOf } from '../intents/present.ts'
import { acceptsPayments } from '../intents/transition.ts'
import type { Deps } from '../platform/deps.ts'
import type { Wallet } from '../wallets/wallet.ts'
import { sendCheckoutPage } from './layout.ts'
import { addressOf, type Locale, localeOf } from './locale.ts'
import { newLinkProof } from './proofs.ts'

/**
 * As shown on the page: `pending` can be paid, `waiting` is being processed, `expired` can't be paid any more. A
 * payment becomes `expired` one second before its intent expires.
 */
export type State = 'pending' | 'waiting' | 'paid' | 'refunded' | 'cancelled' | 'expired' | 'failed'

export function stateOf(stored: Intent, now: Date): State {
  const { status, hold, cancellationReason } = asOf(stored, now)
  if (isPending(status) && hold !== null) return 'waiting'
  if (isPending(status) && !isOpenEverywhere(stored, now)) return 'expired'
  return cancellationReason === 'expired' ? 'expired' : (status.toLowerCase() as Lowercase<Status>)
}

export const canStillChange = (state: State): state is 'pending' | 'waiting' =>
  state === 'pending' || state === 'waiting'

/**
 * Where the customer returns to on the merchant's site, with `reference` and `status` appended to the query, or null if
 * the merchant gave no URL. The rest stays the same byte for byte, even if it already has parameters with these names,
 * so a signature over it stays valid.
 */
export function returnUrl(
  { successUrl, cancelUrl, referenceNumber, status }: Intent,
  state: State,
): string | null {
  const url = state === 'paid' || state === 'refunded' ? successUrl : cancelUrl
  if (url === null) return null
  const [, address = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? []
  const kept = query === '' ? '' : `${query}&`
  return `${address}?${kept}reference=${referenceNumber}&status=${status}${fragment}`
}

/** Path below the payment's page. */
export type View = '' | '/qr'

export interface Offer {
  /** With its status at the time `now`. */
  intent: OfferedIntent
  state: State
  locale: Locale
  /** Without the query. */
  path: string
  /** What the visitor opened: the payment's page, or the one with its QR code. */
  view: View
  /** The page adds this proof to its own URLs (proofs.ts). */
  proof: string
  /** Id of the payment that this customer's form made, from the URL. Null for any other visitor. */
  sent: string | null
  /** Time of the request. */
  now: Date
}

/** Milliseconds until the intent expires. In the last second it can no longer be paid (`stateOf`). */
export const leftMs = ({ intent, now }: Offer): number => intent.expiresAt.getTime() - now.getTime()

export type OfferHandler = (deps: Deps, offer: Offer, req: Request, res: Response) => void | Promise<void>

export function offerOf(
  deps: Pick<Deps, 'secrets'>,
  res: Response,
  stored: OfferedIntent,
  { view, sent, now }: Pick<Offer, 'view' | 'sent' | 'now'>,
): Offer {
  return {
    intent: asOf(stored, now),
    state: stateOf(stored, now),
    locale: localeOf(res),
    path: `/p/${stored.shortCode}`,
    view,
    proof: newLinkProof(deps, stored),
    sent,
    now,
  }
}

export const sentQuery = (sent: string | null): Record<string, string> => (sent === null ? {} : { sent })

const ownAddress = ({ locale, path, proof }: Offer, below: string, query: Record<string, string>) =>
  addressOf(locale, path + below, { ...query, proof })

/** The URL that reloads the page. */
export const urlOfOffer = (offer: Offer): string => ownAddress(offer, offer.view, sentQuery(offer.sent))

/** Where paying starts. For an OPEN intent, that's entering the amount. */
export const startOfOffer = (offer: Offer): string => ownAddress(offer, '', {})

export const imageOfOffer = (offer: Offer, format: 'svg' | 'png'): string =>
  ownAddress(offer, `/qr.${format}`, {})

/** What script.ts needs to poll for the payment's state. */
export const pollAttributes = (offer: Offer): string =>
  html`data-live="${ownAddress(offer, '/status', {})}" data-state="${offer.state}" data-here="${urlOfOffer(offer)}"!${showsCode(offer) ? ' data-code' : ''}`

/** Only the page with the QR code shows it, while the code is active. */
export const showsCode = ({ intent, view, now }: Offer): boolean =>
  view === '/qr' && isCodeActive(intent, now)

/** `title` is plain text. `query` has the parameters that the page's URL needs besides the language and the proof. */
export interface Sheet {
  title: string
  query: Record<string, string>
  body: string
}

export function sendSheet(
  res: Response,
  status: number,
  { locale, path, view, proof, intent: { sandbox } }: Offer,
  sheet: Sheet,
): void {
  const { title, body } = sheet
  const query = { ...sheet.query, proof }
  sendCheckoutPage(res, status, { locale, title, path: path + view, query, sandbox }, body)
}

/** Null if the business is suspended, the intent's outbox is full, or no wallet is configured. */
export const walletFor = ({ wallets }: Pick<Deps, 'wallets'>, intent: OfferedIntent): Wallet | null =>
  intent.isSuspended || !acceptsPayments(intent) ? null : wallets.forPayments(intent.sandbox)
