import type { Request, Response } from 'express'
import { currencyCode, decimal, decimals } from '../../schemas/currency.ts'
import { arabic } from './words/ar.ts'
import { english } from './words/en.ts'
import { french } from './words/fr.ts'
import type { Forms, Words } from './words/words.ts'

/** A language with its texts, its text direction and its formats of amounts and times. */
export interface Locale {
  code: 'fr' | 'ar' | 'en'
  dir: 'ltr' | 'rtl'
  words: Words
  /** Centimes as text: `500,00`, in western digits. */
  amount(centimes: number): string
  /** With the currency: `500,00 MRU`. */
  money(centimes: number): string
  /** The date in Mauritania, for comparisons. */
  day(at: Date): string
  /** A date and a time in Mauritania. */
  moment(at: Date): string
  /** A time in Mauritania. */
  clock(at: Date): string
  /** A duration: `23 h 59 min`, `3 days 4 h`. */
  left(ms: number): string
}

const timeZone = 'Africa/Nouakchott'

/** `numbers` and `dates` are the locales of Intl for this language. */
function createLocale(
  code: Locale['code'],
  dir: Locale['dir'],
  words: Words,
  { numbers, dates }: { numbers: string; dates: string },
): Locale {
  const number = new Intl.NumberFormat(numbers, { minimumFractionDigits: decimals })
  const day = new Intl.DateTimeFormat(dates, { timeZone })
  const moment = new Intl.DateTimeFormat(dates, {
    dateStyle: 'long',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone,
  })
  const clock = new Intl.DateTimeFormat(dates, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  })
  const amount = (centimes: number) => number.format(decimal(centimes) as `${number}`)
  return {
    code,
    dir,
    words,
    amount,
    money: (centimes) => `${amount(centimes)}\u00a0${currencyCode}`,
    day: (at) => day.format(at),
    moment: (at) => moment.format(at),
    clock: (at) => clock.format(at),
    left: (ms) => inWords(words.left, ms),
  }
}

/** The first is the default. */
export const locales: readonly [Locale, ...Locale[]] = [
  createLocale('fr', 'ltr', french, { numbers: 'fr', dates: 'fr' }),
  createLocale('ar', 'rtl', arabic, { numbers: 'fr', dates: 'ar-MR-u-nu-latn' }),
  createLocale('en', 'ltr', english, { numbers: 'en', dates: 'en-GB' }),
]

const [fallback] = locales

/** More than any browser sends. A longer list would cost milliseconds, so it counts as no preference. */
const maxPreferenceLength = 1000

/** Returns the language of a request: `lang` of the URL, else the browser's preference, else French. */
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

/** Adds the language to a path of the hosted pages. */
export const addressOf = ({ code }: Locale, path: string, query: Record<string, string>): string =>
  `${path}?${new URLSearchParams({ lang: code, ...query }).toString()}`

/** Longer durations are shown in days. */
const maxShownHours = 48

/** Splits a duration into days and hours, or into hours and minutes. */
function inWords({ days, hours, minutes, and, soon }: Words['left'], ms: number): string {
  const left = Math.floor(ms / 60_000)
  if (left < 1) return soon
  const [h, min] = [Math.floor(left / 60), left % 60]
  const parts: [count: number, forms: Forms][] =
    h < maxShownHours
      ? [
          [h, hours],
          [min, minutes],
        ]
      : [
          [Math.floor(h / 24), days],
          [h % 24, hours],
        ]
  return parts
    .filter(([count]) => count > 0)
    .map(([count, forms]) => counted(count, forms))
    .join(and)
}

function counted(count: number, [one, two, few, many]: Forms): string {
  const last = count % 100
  const form = count === 1 ? one : count === 2 ? two : last >= 3 && last <= 10 ? few : many
  return form.replace('#', String(count))
}
