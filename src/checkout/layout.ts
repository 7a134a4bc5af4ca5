import { html } from 'ghtml'
import type { OfferedIntent } from '../intents/find.ts'
import { scriptPath, stylePath } from './assets.ts'
import { addressOf, type Locale, locales } from './locale.ts'

/** Everything on a page except its body. */
export interface Frame {
  locale: Locale
  /** Plain text, not HTML. */
  title: string
  /** Path and query of this page. The links to it in other languages contain them too. */
  path: string
  query: Record<string, string>
  sandbox: boolean
}

/** `body` is HTML in which every value was escaped with `html` from ghtml. */
export const page = (frame: Frame, body: string): string => {
  const { locale, title, sandbox } = frame
  const { words } = locale
  return html`<!doctype html>
<html lang="${locale.code}" dir="${locale.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylePath}">
<script src="${scriptPath}" defer></script>
</head>
<body>
<a class="skip" href="#main">${words.toContent}</a>
!${sandbox ? html`<header><p class="test">${words.test}</p></header>` : ''}
<main id="main">
!${body}
</main>
<nav aria-label="${words.languages}">!${locales.map((other) => switchTo(other, frame))}</nav>
</body>
</html>
`
}

const switchTo = (other: Locale, { locale, path, query }: Frame): string => {
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
export type Row = readonly [term: string, value: string | null]

export const facts = (rows: readonly Row[]): string =>
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
): Row[] => [
  [terms.merchant, merchantTextUnlessBlank(merchant)],
  [terms.label, merchantTextUnlessBlank(label)],
]

/** Without a fee, only the amount has a row. */
export function priceRows(locale: Locale, { amount, fee }: Price): Row[] {
  const { facts: terms } = locale.words
  const amountRow: Row = [terms.amount, moneyHtml(locale, amount)]
  if (fee === 0) return [amountRow]
  return [amountRow, [terms.fee, moneyHtml(locale, fee)], [terms.total, moneyHtml(locale, amount + fee)]]
}
