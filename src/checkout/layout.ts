import type { Response } from 'express'
import { html } from 'ghtml'
import { assetOf, documentOf, sendPage } from '../http/pages/send-page.ts'
import type { OfferedIntent } from '../intents/find.ts'
import { addressOf, type Locale, locales } from './locale.ts'
import { script } from './script.ts'
import { style } from './style.ts'

export const assets = [assetOf('/pay', 'css', style), assetOf('/pay', 'js', script)]

/** Everything on a page except its body. */
export interface Frame {
  locale: Locale
  /** The page's title, as plain text and not as HTML. */
  title: string
  /** The path and the query parameters of this page. The links to the page in other languages contain them too. */
  path: string
  query: Record<string, string>
  /** Whether the payment is a test payment. */
  sandbox: boolean
}

/** Sends a page. `body` must be HTML in which every value was escaped with `html` from ghtml. */
export function sendCheckoutPage(res: Response, status: number, frame: Frame, body: string): void {
  const { locale, title, sandbox } = frame
  const { words } = locale
  const { code: language, dir: direction } = locale
  const page = documentOf(
    { language, direction, title, assets, skip: words.toContent },
    html`!${sandbox ? html`<header><p class="test">${words.test}</p></header>` : ''}
<main id="main">
!${body}
</main>
<nav aria-label="${words.languages}">!${locales.map((other) => switchTo(other, frame))}</nav>`,
  )
  sendPage(res, status, page)
}

const switchTo = (other: Locale, { locale, path, query }: Frame): string => {
  const { code, dir, words } = other
  const current = other === locale ? html` aria-current="true"` : ''
  return html`<a href="${addressOf(other, path, query)}" lang="${code}" hreflang="${code}" dir="${dir}"!${current}>${words.language}</a>`
}

/** Returns a merchant's text as HTML. The text is escaped, and is isolated so that it keeps its own text direction. */
export const merchantText = (text: string): string => html`<bdi>${text}</bdi>`

/** Returns the same HTML as `merchantText`, or null if the text is missing or blank. */
export const merchantTextUnlessBlank = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : merchantText(text)

/**
 * Returns HTML for text that is written from left to right in every language, such as amounts, codes, references and
 * phone numbers.
 */
export const ltr = (text: string): string => html`<bdi dir="ltr">${text}</bdi>`

/** Like `ltr`, but returns plain text for a page title, because a title cannot contain HTML. */
export const ltrText = ({ dir }: Pick<Locale, 'dir'>, text: string): string =>
  dir === 'rtl' ? `\u2066${text}\u2069` : text

/** A row of a list of facts. The value is HTML, or null if the row is omitted. */
export type Row = readonly [term: string, value: string | null]

/** Returns a list of terms and values as HTML. */
export const facts = (rows: readonly Row[]): string =>
  html`<dl>!${rows.map(([term, value]) => (value === null ? '' : html`<dt>${term}</dt><dd>!${value}</dd>`))}</dl>`

/** Returns an amount of money as HTML. */
export const moneyHtml = ({ money }: Locale, centimes: number): string => ltr(money(centimes))

/** The amount of a payment and the payer's fee, which is added to the amount, in centimes. */
export interface Price {
  amount: number
  fee: number
}

/** Returns the rows with the merchant's name and the payment's label. */
export const sellerRows = (
  { words: { facts: terms } }: Locale,
  { merchant, label }: Pick<OfferedIntent, 'merchant' | 'label'>,
): Row[] => [
  [terms.merchant, merchantTextUnlessBlank(merchant)],
  [terms.label, merchantTextUnlessBlank(label)],
]

/** Returns the rows with the amount, the fee and the total. If there is no fee, only the amount has a row. */
export function priceRows(locale: Locale, { amount, fee }: Price): Row[] {
  const { facts: terms } = locale.words
  const amountRow: Row = [terms.amount, moneyHtml(locale, amount)]
  if (fee === 0) return [amountRow]
  return [amountRow, [terms.fee, moneyHtml(locale, fee)], [terms.total, moneyHtml(locale, amount + fee)]]
}
