import type { Request, Response } from 'express'
import { html } from 'ghtml'
import { createScript, createStylesheet } from '../http/pages/assets.ts'
import { localizedPath } from '../http/pages/locale.ts'
import type { SendErrorPage } from '../http/pages/prepare-page.ts'
import { addHeader, renderDocument, sendPage } from '../http/pages/send-page.ts'
import { type FactRow, isolateTextOrNull, renderMoney } from '../http/pages/text.ts'
import type { CheckoutIntent } from '../intents/find.ts'
import { type Locale, localeOf, locales } from './locale.ts'
import type { CheckoutTexts, NoticeText } from './words/en.ts'

export const checkoutAssets = [
  createStylesheet('/pay', [
    'http/pages/styles/base.css',
    'http/pages/styles/touch.css',
    'checkout/checkout.css',
  ]),
  createScript('/pay', [
    'http/pages/scripts/send-once.js',
    'checkout/scripts/poll-delay.js',
    'http/pages/scripts/poll-state.js',
    'checkout/scripts/leave.js',
    'http/pages/scripts/print.js',
  ]),
]

interface PageFrame {
  locale: Locale
  title: string
  /** The language links repeat the path and the query. */
  path: string
  query: Record<string, string>
  sandbox: boolean
}

/** Every value in `body` must be escaped with `html` from ghtml. */
export function sendCheckoutPage(res: Response, status: number, frame: PageFrame, body: string): void {
  const { locale, title, sandbox } = frame
  const { words } = locale
  const { code: language, dir: direction } = locale
  const renderPage = renderDocument(
    { language, direction, title, assets: checkoutAssets, skip: words.toContent },
    html`!${sandbox ? html`<header><p class="test">${words.test}</p></header>` : ''}
<main id="main">
!${body}
</main>
<nav class="languages" aria-label="${words.languages}">!${locales.map((other) => switchTo(other, frame))}</nav>`,
  )
  sendPage(res, status, renderPage)
}

const switchTo = (other: Locale, { locale, path, query }: PageFrame) => {
  const { code, dir, words } = other
  const current = other === locale ? html` aria-current="true"` : ''
  return html`<a href="${localizedPath(other, path, query)}" lang="${code}" hreflang="${code}" dir="${dir}"!${current}>${words.language}</a>`
}

/** Both amounts are in centimes. The payer's fee is added to `amount`. */
export interface PriceWithFee {
  amount: number
  fee: number
}

export const sellerRows = (
  { words: { facts: terms } }: Locale,
  { merchant, label }: Pick<CheckoutIntent, 'merchant' | 'label'>,
): FactRow[] => [
  [terms.merchant, isolateTextOrNull(merchant)],
  [terms.label, isolateTextOrNull(label)],
]

export function priceRows(locale: Locale, { amount, fee }: PriceWithFee): FactRow[] {
  const { facts: terms } = locale.words
  const amountRow: FactRow = [terms.amount, renderMoney(locale, amount)]
  if (fee === 0) return [amountRow]
  return [amountRow, [terms.fee, renderMoney(locale, fee)], [terms.total, renderMoney(locale, amount + fee)]]
}

/** Keeps the proof, so that reopening the page doesn't count as guessing. */
export const requestedPage = ({ path, query: { proof } }: Request): Pick<PageFrame, 'path' | 'query'> => ({
  path,
  query: typeof proof === 'string' ? { proof } : {},
})

export function sendNote(
  res: Response,
  status: number,
  [title, sentence]: NoticeText,
  reopen: Pick<PageFrame, 'path' | 'query'> | null,
): void {
  const locale = localeOf(res)
  const { path, query } = reopen ?? { path: '/', query: {} }
  const again = html`<p><a class="button" href="${localizedPath(locale, path, query)}">${locale.words.notes.again}</a></p>`
  const body = html`<h1>${title}</h1>
<p>${sentence}</p>
!${reopen === null ? '' : again}`
  sendCheckoutPage(res, status, { locale, title, path, query, sandbox: false }, body)
}

export const sendNotFoundPage = (res: Response): void =>
  sendNote(res, 404, localeOf(res).words.notes.notFound, null)

export const refuseOtherMethods =
  (methods: 'GET, HEAD' | 'GET, HEAD, POST') => (_req: unknown, res: Response) => {
    res.setHeader('Allow', methods)
    sendNotFoundPage(res)
  }

/** The response doesn't reveal whether the payment exists. */
export function sendTooManyPage(req: Request, res: Response, closedMs: number): void {
  const { words, left } = localeOf(res)
  const minutes = Math.max(1, Math.ceil(closedMs / 60_000))
  addHeader(res, 'Retry-After', minutes * 60)
  sendNote(res, 429, words.notes.tooMany(left(minutes * 60_000)), requestedPage(req))
}

const noteNames: Partial<Record<number, Exclude<keyof CheckoutTexts['notes'], 'tooMany' | 'again'>>> = {
  404: 'notFound',
  413: 'tooLarge',
  500: 'broken',
  503: 'unavailable',
}

export const sendCheckoutError: SendErrorPage = (req, res, status) => {
  const { notes } = localeOf(res).words
  // Pages show waiting times in whole minutes.
  const note =
    status === 429 ? notes.tooMany(localeOf(res).left(60_000)) : notes[noteNames[status] ?? 'notUnderstood']
  sendNote(res, status, note, requestedPage(req))
}
