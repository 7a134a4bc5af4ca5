import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Status } from '../../schemas/intents.ts'
import { isCodeActive } from '../intents/codes.ts'
import type { OfferedIntent } from '../intents/find.ts'
import type { Intent } from '../intents/intent.ts'
import { isOpenEverywhere, isPending } from '../intents/lifecycle.ts'
import { acceptsPayments } from '../intents/marks.ts'
import { asOf } from '../intents/present.ts'
import type { Deps } from '../platform/deps.ts'
import type { Wallet } from '../wallets/wallet.ts'
import { sendCheckoutPage } from './layout.ts'
import { addressOf, type Locale, localeOf } from './locale.ts'
import { newLinkProof } from './proofs.ts'

/**
 * The state of a payment as shown on its page. A `pending` payment can be paid, and a `waiting` payment is being
 * processed. An `expired` payment can no longer be paid. A payment becomes `expired` one second before its intent
 * expires.
 */
export type State = 'pending' | 'waiting' | 'paid' | 'refunded' | 'cancelled' | 'expired' | 'failed'

export function stateOf(stored: Intent, now: Date): State {
  const { status, hold, cancellationReason } = asOf(stored, now)
  if (isPending(status) && hold !== null) return 'waiting'
  if (isPending(status) && !isOpenEverywhere(stored, now)) return 'expired'
  return cancellationReason === 'expired' ? 'expired' : (status.toLowerCase() as Lowercase<Status>)
}

/** Returns whether the state can still change. */
export const isOpen = (state: State): state is 'pending' | 'waiting' => state === 'pending' || state === 'waiting'

/**
 * Returns the URL on the merchant's site to which the customer returns, with `reference` and `status` appended to its
 * query. Returns null if the merchant did not provide a URL. The rest of the URL is kept byte for byte, even if it
 * already contains parameters with these names. A signature over the rest of the URL therefore stays valid.
 */
export function returnUrl({ successUrl, cancelUrl, referenceNumber, status }: Intent, state: State): string | null {
  const url = state === 'paid' || state === 'refunded' ? successUrl : cancelUrl
  if (url === null) return null
  const [, address = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? []
  const kept = query === '' ? '' : `${query}&`
  return `${address}?${kept}reference=${referenceNumber}&status=${status}${fragment}`
}

/** A page about a payment, by its path below the path of the payment's page. */
export type View = '' | '/qr'

/** A payment as the customer sees it on its page. */
export interface Offer {
  /** The intent with its status at the time `now`. */
  intent: OfferedIntent
  state: State
  locale: Locale
  /** The path of the payment's page, without the query. */
  path: string
  /** The page that the visitor opened: the payment's page, or the page with its QR code. */
  view: View
  /** The proof that the payment's page adds to its own URLs (proofs.ts). */
  proof: string
  /**
   * The id of the payment that this customer's form made. It is taken from the URL, and is null for any other visitor.
   */
  sent: string | null
  /** The time of the request. */
  now: Date
}

/**
 * Returns the time until the intent expires, in milliseconds. In the last second of this time, the intent can no longer
 * be paid (`stateOf`).
 */
export const leftMs = ({ intent, now }: Offer): number => intent.expiresAt.getTime() - now.getTime()

/** Handles a request for a payment's page. */
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

/** Returns the query parameters that identify the customer's own payment. */
export const sentQuery = (sent: string | null): Record<string, string> => (sent === null ? {} : { sent })

/** Returns the URL of the payment's page, or of a path below that page, with the given query. */
const ownAddress = ({ locale, path, proof }: Offer, below: string, query: Record<string, string>) =>
  addressOf(locale, path + below, { ...query, proof })

/** Returns the URL that reloads the page. */
export const addressOfOffer = (offer: Offer): string => ownAddress(offer, offer.view, sentQuery(offer.sent))

/** Returns the URL of the first step of paying. For an OPEN intent, the customer enters the amount in this step. */
export const startOfOffer = (offer: Offer): string => ownAddress(offer, '', {})

/** Returns the URL of the payment's QR code as an image. */
export const imageOfOffer = (offer: Offer, format: 'svg' | 'png'): string => ownAddress(offer, `/qr.${format}`, {})

/** Returns the HTML attributes that the script (script.ts) needs to poll for the payment's state. */
export const pollAttributes = (offer: Offer): string =>
  html`data-live="${ownAddress(offer, '/status', {})}" data-state="${offer.state}" data-here="${addressOfOffer(offer)}"!${showsCode(offer) ? ' data-code' : ''}`

/** Returns whether the page shows the payment code. Only the page with the QR code does, while the code is active. */
export const showsCode = ({ intent, view, now }: Offer): boolean => view === '/qr' && isCodeActive(intent, now)

/**
 * A page about a payment. `title` is plain text. `query` contains the parameters that the page's URL needs besides the
 * language and the proof.
 */
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

/**
 * Returns the wallet that can currently pay an intent. Returns null if the business is suspended, the intent's outbox
 * is full, or no wallet is configured.
 */
export const walletFor = ({ wallets }: Pick<Deps, 'wallets'>, intent: OfferedIntent): Wallet | null =>
  intent.isSuspended || !acceptsPayments(intent) ? null : wallets.forPayments(intent.sandbox)
