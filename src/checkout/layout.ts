import type { Response } from 'express'
import { html } from 'ghtml'
import { assetOf, documentOf, sendPage } from '../http/pages/send-page.ts'
import type { OfferedIntent } from '../intents/find.ts'
import { addressOf, type Locale, locales } from './locale.ts'
import { checkoutScript } from './script.ts'
import { checkoutStyle } from './style.ts'

export const assets = [assetOf('/pay', 'css', checkoutStyle), assetOf('/pay', 'js', checkoutScript)]

/** Everything on a page except its body. */
export interface PageFrame {
  locale: Locale
  /** Plain text, not HTML. */
  title: string
  /** Path and query of this page. The links to it in other languages contain them too. */
  path: string
  query: Record<string, string>
  sandbox: boolean
}

/** `body` is HTML in which every value was escaped with `html` from ghtml. */
export function sendCheckoutPage(res: Response, status: number, frame: PageFrame, body: string): void {
  const { locale, title, sandbox } = frame
  const { words } = locale
  const { code: language, dir: direction } = locale
  const renderPage = documentOf(
    { language, direction, title, assets, skip: words.toContent },
    html`!${sandbox ? html`<header><p class="test">${words.test}</p></header>` : ''}
<main id="main">
!${body}
</main>
<nav aria-label="${words.languages}">!${locales.map((other) => switchTo(other, frame))}</nav>`,
  )
  sendPage(res, status, renderPage)
}

const switchTo = (other: Locale, { locale, path, query }: PageFrame): string => {
  const { code, dir, words } = other
  const current = other === locale ? html` aria-current="true"` : ''
  return html`<a href="${addressOf(other, path, query)}" lang="${code}" hreflang="${code}" dir="${dir}"!${current}>${words.language}</a>`
}

/** Escapes a merchant's text and isolates it, so that it keeps its own direction. */
export const merchantText = (text: string): string => html`<bdi>${text}</bdi>`

export const merchantTextUnlessBlank = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : merchantText(text)

/** For text that runs from left to right in every language: amounts, codes, references, phone numbers. */
export const ltr = (text: string): string => html`<bdi dir="ltr">${text}</bdi>`

/** Like `ltr` for a page title, which can't contain HTML. */
export const ltrText = ({ dir }: Pick<Locale, 'dir'>, text: string): string =>
  dir === 'rtl' ? `\u2066${text}\u2069` : text

/** The value is HTML. Rows with null are left out. */
export type FactRow = readonly [term: string, value: string | null]

export const factList = (rows: readonly FactRow[]): string =>
  html`<dl>!${rows.map(([term, value]) => (value === null ? '' : html`<dt>${term}</dt><dd>!${value}</dd>`))}</dl>`

export const moneyHtml = ({ money }: Locale, centimes: number): string => ltr(money(centimes))

/** In centimes. The payer's fee is added to the amount. */
export interface Price {
  amount: number
  fee: number
}

export const sellerRows = (
  { words: { facts: terms } }: Locale,
  { merchant, label }: Pick<OfferedIntent, 'merchant' | 'label'>,
): FactRow[] => [
  [terms.merchant, merchantTextUnlessBlank(merchant)],
  [terms.label, merchantTextUnlessBlank(label)],
]

/** Without a fee, only the amount has a row. */
export function priceRows(locale: Locale, { amount, fee }: Price): FactRow[] {
  const { facts: terms } = locale.words
  const amountRow: FactRow = [terms.amount, moneyHtml(locale, amount)]
  if (fee === 0) return [amountRow]
  return [amountRow, [terms.fee, moneyHtml(locale, fee)], [terms.total, moneyHtml(locale, amount + fee)]]
}
