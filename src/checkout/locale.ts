import type { Request, Response } from 'express'
import { currencyCode, currencyDecimals, formatCentimes } from '../../schemas/currency.ts'
import { arabicCheckoutTexts } from './words/ar.ts'
import { type CheckoutTexts, englishCheckoutTexts, type PluralForms } from './words/en.ts'
import { frenchCheckoutTexts } from './words/fr.ts'

export type Locale = ReturnType<typeof createLocale>

const timeZone = 'Africa/Nouakchott'

function createLocale(
  code: 'fr' | 'ar' | 'en',
  dir: 'ltr' | 'rtl',
  words: CheckoutTexts,
  { numbers, dates }: { numbers: string; dates: string },
) {
  const number = new Intl.NumberFormat(numbers, { minimumFractionDigits: currencyDecimals })
  const inTime = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(dates, { ...options, hourCycle: 'h23', timeZone }).format
  const amount = (centimes: number) => number.format(formatCentimes(centimes) as `${number}`)
  const date = inTime({ dateStyle: 'long' })
  const clock = inTime({ hour: '2-digit', minute: '2-digit' })
  return {
    code,
    dir,
    words,
    /** Returns e.g. `500,00`, always with Western digits. */
    amount,
    money: (centimes: number) => `${amount(centimes)}\u00a0${currencyCode}`,
    /** Use this only to compare days. */
    day: inTime({}),
    moment: (at: Date) => words.moment(date(at), clock(at)),
    clock,
    /** Returns e.g. `23 h 59 min` or `3 days 4 h`. */
    left: (ms: number) => inWords(words.left, ms),
  }
}

export const locales: readonly [Locale, ...Locale[]] = [
  createLocale('fr', 'ltr', frenchCheckoutTexts, { numbers: 'fr', dates: 'fr' }),
  createLocale('ar', 'rtl', arabicCheckoutTexts, { numbers: 'fr', dates: 'ar-MR-u-nu-latn' }),
  createLocale('en', 'ltr', englishCheckoutTexts, { numbers: 'en', dates: 'en-GB' }),
]

const [fallback] = locales

/** No browser sends a longer header, and parsing one takes milliseconds. */
const maxPreferenceLength = 1000

/** The `lang` parameter takes precedence over the browser's preference. */
export function localeOf(res: Response): Locale {
  res.locals.locale ??= localeFor(res.req)
  return res.locals.locale as Locale
}

function localeFor(req: Request): Locale {
  const named = (code: unknown) => locales.find((locale) => locale.code === code)
  const isTooLong = (req.headers['accept-language'] ?? '').length > maxPreferenceLength
  const preferred = () => !isTooLong && req.acceptsLanguages(locales.map(({ code }) => code))
  return named(req.query.lang) ?? named(preferred()) ?? fallback
}

export const localizedPath = ({ code }: Locale, path: string, query: Record<string, string>): string =>
  `${path}?${new URLSearchParams({ lang: code, ...query }).toString()}`

const maxShownHours = 48

function inWords({ days, hours, minutes, and, soon }: CheckoutTexts['left'], ms: number) {
  const left = Math.floor(ms / 60_000)
  if (left < 1) return soon
  const [h, min] = [Math.floor(left / 60), left % 60]
  const parts =
    h < maxShownHours
      ? [counted(h, hours), counted(min, minutes)]
      : [counted(Math.floor(h / 24), days), counted(h % 24, hours)]
  return parts.filter((part) => part !== '').join(and)
}

function counted(count: number, [one, two, few, many]: PluralForms) {
  if (count === 0) return ''
  const last = count % 100
  const form = count === 1 ? one : count === 2 ? two : last >= 3 && last <= 10 ? few : many
  return form.replace('#', String(count))
}
