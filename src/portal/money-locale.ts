import { html } from 'ghtml'
import { readFor } from '../http/operations/run-for.ts'
import type { RouteInput } from '../http/operations/run-route.ts'
import type { TableColumn } from '../http/pages/table.ts'
import { isolateText, renderMoney } from '../http/pages/text.ts'
import type { ReadId } from '../http/routes/routes.ts'
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

export const readData = async <Data>(
  { deps, res, caller }: Visit,
  operation: ReadId,
  input: Partial<RouteInput> = {},
): Promise<Data> => (await readFor<Data>(deps, res, caller, operation, input)).data

/** The route's parameter `id`, or another one. */
export const paramOf = ({ req }: Visit, name = 'id'): string => String(req.params[name])

export const paymentPath = ({ base }: Visit, reference: string): string => `${base}/payments/${reference}`

export const renderMoment = ({ moment }: MoneyLocale, at: string): string =>
  html`<time datetime="${at}">${moment(new Date(at))}</time>`

export const renderReference = (visit: Visit, reference: string | null): string =>
  reference === null
    ? ''
    : html`<a class="id" dir="ltr" href="${paymentPath(visit, reference)}">${reference}</a>`

export const moneyColumn = <Item>(
  locale: MoneyLocale,
  label: string,
  amount: (item: Item) => number,
): TableColumn<Item> => ({ label, classes: 'number', html: (item) => renderMoney(locale, amount(item)) })

/** For what merchants typed. */
export const textColumn = <Item>(label: string, text: (item: Item) => string | null): TableColumn<Item> => ({
  label,
  html: (item) => {
    const shown = text(item)
    return shown === null ? '' : isolateText(shown)
  },
})

/** Names that a later version of the API may add are shown as they are. */
export const renderName = (names: Readonly<Record<string, string>>, name: string): string =>
  html`${names[name] ?? name}`

export const pathWith = (path: string, query: Readonly<Record<string, string>>): string => {
  const used = Object.entries(query).filter(([, value]) => value !== '')
  return used.length === 0 ? path : `${path}?${new URLSearchParams(used).toString()}`
}
