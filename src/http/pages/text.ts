import { html } from 'ghtml'
import type { Locale } from './locale.ts'

/** What merchants and customers typed keeps its own direction. */
export const isolateText = (text: string): string => html`<bdi>${text}</bdi>`

export const isolateTextOrNull = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : isolateText(text)

/** Amounts and phone numbers read from left to right in every language. */
export const renderLtr = (text: string): string => html`<bdi dir="ltr">${text}</bdi>`

/** A page title can't contain HTML, so this uses control characters. */
export const isolateLtrText = ({ dir }: Pick<Locale, 'dir'>, text: string): string =>
  dir === 'rtl' ? `\u2066${text}\u2069` : text

export const renderMoney = ({ money }: Pick<Locale, 'money'>, centimes: number): string =>
  renderLtr(money(centimes))

export const renderTime = ({ moment }: Pick<Locale, 'moment'>, at: string | Date): string =>
  html`<time datetime="${new Date(at).toISOString()}">${moment(new Date(at))}</time>`

/** `value` is HTML. Rows whose value is null are left out. */
export type FactRow = readonly [term: string, value: string | null]

export const renderFactList = (rows: readonly FactRow[]): string =>
  html`<dl>!${rows.map(([term, value]) => (value === null ? '' : html`<dt>${term}</dt><dd>!${value}</dd>`))}</dl>`
