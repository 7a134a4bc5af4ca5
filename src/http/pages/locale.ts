import type { Request, Response } from 'express'
import { currencyCode, currencyDecimals, formatCentimes } from '../../../schemas/currency.ts'
import { type PluralForms, type ToolTexts, toolTexts } from './words.ts'

export type LanguageCode = keyof typeof toolTexts

/** `Words` are the texts of one area, e.g. the payment page. */
export type Locale<Words = unknown> = ReturnType<typeof createLocale> & { words: ToolTexts & Words }

const timeZone = 'Africa/Nouakchott'

const customs = {
  fr: { dir: 'ltr', numbers: 'fr', dates: 'fr' },
  ar: { dir: 'rtl', numbers: 'fr', dates: 'ar-MR-u-nu-latn' },
  en: { dir: 'ltr', numbers: 'en', dates: 'en-GB' },
} as const

function createLocale(code: LanguageCode) {
  const words = toolTexts[code]
  const { dir, numbers, dates } = customs[code]
  const number = new Intl.NumberFormat(numbers, { minimumFractionDigits: currencyDecimals })
  const inTime = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(dates, { ...options, hourCycle: 'h23', timeZone }).format
  const decimal = new Intl.NumberFormat(numbers, { maximumFractionDigits: 2 })
  const amount = (centimes: number) => number.format(formatCentimes(centimes) as `${number}`)
  const date = inTime({ dateStyle: 'long' })
  const clock = inTime({ hour: '2-digit', minute: '2-digit' })
  return {
    code,
    dir,
    /** Returns e.g. `500,00`, always with Western digits. */
    amount,
    money: (centimes: number) => `${amount(centimes)}\u00a0${currencyCode}`,
    /** Returns e.g. `12 500`, with at most two decimals. */
    number: (value: number) => decimal.format(value),
    /** Use this only to compare days. */
    day: inTime({}),
    /** Returns e.g. `2 December 2026`. */
    date,
    moment: (at: Date) => words.moment(date(at), clock(at)),
    clock,
    /** Returns e.g. `23 h 59 min` or `3 days 4 h`. */
    left: (ms: number) => inWords(words.left, ms),
  }
}

const languages = ['fr', 'ar', 'en'] as const satisfies LanguageCode[]
const tools = languages.map(createLocale)

export type Locales<Words> = readonly [Locale<Words>, ...Locale<Words>[]]

/** Binds the language tools to the texts of one area. */
export const createLocales = <Words>(words: Record<LanguageCode, Words>): Locales<Words> =>
  tools.map((tool) => ({ ...tool, words: { ...toolTexts[tool.code], ...words[tool.code] } })) as never

/** No browser sends a longer header, and parsing one takes milliseconds. */
const maxPreferenceLength = 1000

/** The `lang` parameter comes first, then the choice that `kept` returns, then the browser's preference. */
export function chooseLanguage<Words>(
  locales: Locales<Words>,
  kept: (req: Request) => unknown = () => undefined,
): (res: Response) => Locale<Words> {
  const named = (code: unknown) => locales.find((locale) => locale.code === code)
  const preferred = (req: Request) =>
    (req.headers['accept-language'] ?? '').length <= maxPreferenceLength &&
    req.acceptsLanguages(locales.map(({ code }) => code))
  return ({ req, locals }) => {
    const language = locals.language ?? req.query.lang
    const locale = named(language) ?? named(kept(req)) ?? named(preferred(req)) ?? locales[0]
    locals.language = locale.code
    return locale
  }
}

export const localizedPath = (
  { code }: Pick<Locale, 'code'>,
  path: string,
  query: Record<string, string>,
): string => `${path}?${new URLSearchParams({ lang: code, ...query }).toString()}`

const maxShownHours = 48

function inWords({ days, hours, minutes, and, soon }: ToolTexts['left'], ms: number) {
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
