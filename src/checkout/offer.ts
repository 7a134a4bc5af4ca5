import type { Request, Response } from 'express'
import { html } from 'ghtml'
import type { Deps } from '../deps.ts'
import { sendPage } from '../http/pages/send-page.ts'
import type { OfferedIntent } from '../intents/batchers.ts'
import { asOf } from '../intents/present.ts'
import { page } from './layout.ts'
import { newLinkProof } from './link-proof.ts'
import { addressOf, type Locale, localeOf } from './locale.ts'
import { type State, stateOf } from './state.ts'

/** A payment as a customer meets it who looks at its page. */
export interface Offer {
  /** As of `now`. */
  intent: OfferedIntent
  state: State
  locale: Locale
  /** The address of its page, without query. */
  path: string
  /** link-proof.ts */
  proof: string
  /** The payment that this customer's form made, where the address tells; null for anybody else. */
  sent: string | null
  /** When it was asked for. */
  now: Date
}

/** How long it can still be paid. */
export const leftMs = ({ intent, now }: Offer): number => intent.expiresAt.getTime() - now.getTime()

/** What is done with a payment that somebody has the address of. */
export type Act = (deps: Deps, offer: Offer, req: Request, res: Response) => void | Promise<void>

export function offerOf(
  deps: Pick<Deps, 'secrets'>,
  res: Response,
  stored: OfferedIntent,
  { sent, now }: Pick<Offer, 'sent' | 'now'>,
): Offer {
  return {
    intent: asOf(stored, now),
    state: stateOf(stored, now),
    locale: localeOf(res),
    path: `/p/${stored.shortCode}`,
    proof: newLinkProof(deps, stored),
    sent,
    now,
  }
}

/** What the address of a page keeps of the customer's own payment. */
export const sentQuery = (sent: string | null): Record<string, string> => (sent === null ? {} : { sent })

/** The page's own address with this query, or that of what is below it. */
const ownAddress = ({ locale, path, proof }: Offer, below: '' | '/status', query: Record<string, string>) =>
  addressOf(locale, path + below, { ...query, proof })

/** The address of the page as it is now, whatever it was loaded by. */
export const addressOfOffer = (offer: Offer): string => ownAddress(offer, '', sentQuery(offer.sent))

/** Where the page begins anew: at the choice of an amount, if there is one. */
export const startOfOffer = (offer: Offer): string => ownAddress(offer, '', {})

/** What the script needs to keep a page true that may still change (script.ts), as attributes. */
export const live = (offer: Offer): string =>
  html`data-live="${ownAddress(offer, '/status', {})}" data-state="${offer.state}" data-here="${addressOfOffer(offer)}"`

/** A page about a payment: `title` as text, `query` what beside the language its address needs. */
export interface Sheet {
  title: string
  query: Record<string, string>
  body: string
}

export function sendSheet(
  res: Response,
  status: number,
  { locale, path, proof, intent: { sandbox } }: Offer,
  sheet: Sheet,
): void {
  const { title, body } = sheet
  const query = { ...sheet.query, proof }
  sendPage(res, status, page({ locale, title, path, query, sandbox }, body))
}
