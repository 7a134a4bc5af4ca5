import { html } from 'ghtml'
import { scriptPath, stylePath } from './assets.ts'
import { addressOf, type Locale, locales } from './locale.ts'

/** What stands around a page. */
export interface Frame {
  locale: Locale
  /** As text. */
  title: string
  /** Its address, for the switch of languages, and what of the query goes along. */
  path: string
  query: Record<string, string>
  /** Whether it is about a test payment. */
  sandbox: boolean
}

/** A whole document. `body` is HTML: every value in it is escaped by `html` of ghtml. */
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

/** Text of a merchant's: escaped, and its direction its own. */
export const foreign = (text: string): string => html`<bdi>${text}</bdi>`

/** As `foreign`; null where there is nothing to read. */
export const foreignUnlessBlank = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : foreign(text)

/** What reads from left to right in every language: amounts, codes, references, phone numbers. */
export const ltr = (text: string): string => html`<bdi dir="ltr">${text}</bdi>`

/** As `ltr`, where no marks can be: in a title. */
export const ltrText = ({ dir }: Locale, text: string): string =>
  dir === 'rtl' ? `\u2066${text}\u2069` : text

/** Terms and what they are, in HTML; without those that are null. */
export const facts = (rows: readonly (readonly [term: string, value: string | null])[]): string =>
  html`<dl>!${rows.map(([term, value]) => (value === null ? '' : html`<dt>${term}</dt><dd>!${value}</dd>`))}</dl>`
