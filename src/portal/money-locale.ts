import { html } from 'ghtml'
import type { TableColumn } from '../http/pages/table.ts'
import { isolateTextOrNull, renderMoney } from '../http/pages/text.ts'
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

/** The route's parameter `id`, or another one. */
export const paramOf = ({ req }: Visit, name = 'id'): string => String(req.params[name])

export const paymentPath = ({ base }: Visit, reference: string): string => `${base}/payments/${reference}`

export const renderReference = (visit: Visit, reference: string | null | undefined): string =>
  reference ? html`<a class="id" dir="ltr" href="${paymentPath(visit, reference)}">${reference}</a>` : ''

export const moneyColumn = <Item>(
  locale: MoneyLocale,
  label: string,
  amount: (item: Item) => number,
): TableColumn<Item> => [label, (item) => renderMoney(locale, amount(item)), 'number']

/** For what merchants typed. */
export const textColumn = <Item>(label: string, text: (item: Item) => string | null): TableColumn<Item> => [
  label,
  (item) => isolateTextOrNull(text(item) ?? null) ?? '',
]

/** Names that a later version of the API may add are shown as they are. */
export const renderName = (names: Readonly<Record<string, string>>, name: string): string =>
  html`${names[name] ?? name}`

export const pathWith = (path: string, query: Readonly<Record<string, string>>): string => {
  const used = Object.entries(query).filter(([, value]) => value !== '')
  return used.length === 0 ? path : `${path}?${new URLSearchParams(used).toString()}`
}
