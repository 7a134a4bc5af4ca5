import { html } from 'ghtml'
import { isolateText, renderMoney } from '../http/pages/text.ts'
import type { Page } from '../lists/pagination.ts'
import { personPaging } from '../people-pages/frame.ts'
import { createPersonLocales, type PersonLocale } from '../people-pages/locale.ts'
import type { Visit } from '../people-pages/visit.ts'
import { arabicMoneyTexts } from './words/money/ar.ts'
import { englishMoneyTexts, type MoneyTexts } from './words/money/en.ts'
import { frenchMoneyTexts } from './words/money/fr.ts'

export type MoneyLocale = PersonLocale<MoneyTexts>

export const moneyLocaleOf = createPersonLocales<MoneyTexts>({
  fr: frenchMoneyTexts,
  ar: arabicMoneyTexts,
  en: englishMoneyTexts,
})

export const paymentPath = ({ base }: Visit, reference: string): string => `${base}/payments/${reference}`

export const renderMoment = ({ moment }: MoneyLocale, at: string | null): string =>
  at === null ? '' : html`<time datetime="${at}">${moment(new Date(at))}</time>`

export const renderReference = (visit: Visit, reference: string | null): string =>
  reference === null
    ? ''
    : html`<a class="id" dir="ltr" href="${paymentPath(visit, reference)}">${reference}</a>`

export const moneyColumn = <Item>(locale: MoneyLocale, label: string, amount: (item: Item) => number) => ({
  label,
  classes: 'number',
  html: (item: Item) => renderMoney(locale, amount(item)),
})

export const textColumn = <Item>(label: string, text: (item: Item) => string | null) => ({
  label,
  html: (item: Item) => isolateText(text(item) ?? ''),
})

/** Names that a later version of the API may add are shown as they are. */
export const nameIn = (names: Readonly<Record<string, string>>, name: string): string => names[name] ?? name

export const pathWith = (path: string, query: Readonly<Record<string, string>>): string => {
  const used = Object.entries(query).filter(([, value]) => value !== '')
  return used.length === 0 ? path : `${path}?${new URLSearchParams(used).toString()}`
}

export const renderPaging = (
  visit: Visit,
  path: string,
  typed: Readonly<Record<string, string>>,
  { page, hasMore }: Page<unknown>,
): string =>
  personPaging(
    visit.res,
    (after) => pathWith(path, { ...typed, page: after }),
    page === 1,
    hasMore ? String(page + 1) : null,
  )
