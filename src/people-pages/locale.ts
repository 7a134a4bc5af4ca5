import { parseCookie, stringifySetCookie } from 'cookie'
import type { NextFunction, Request, Response } from 'express'
import { chooseLanguage, createLocales, type LanguageCode, type Locale } from '../http/pages/locale.ts'
import { addHeader } from '../http/pages/send-page.ts'
import { arabicFrameTexts } from './words/ar.ts'
import { englishFrameTexts, type FrameTexts } from './words/en.ts'
import { frenchFrameTexts } from './words/fr.ts'

const cookieName = '__Host-lang'
const yearSeconds = 365 * 86_400

const keptLanguage = ({ headers }: Request) => parseCookie(headers.cookie ?? '')[cookieName]

export type PersonLocale<Words> = Locale<FrameTexts & Words>

/** The texts of one area, together with those of the frame. */
export function createPersonLocales<Words>(
  words: Record<LanguageCode, Words>,
): (res: Response) => PersonLocale<Words> {
  const locales = createLocales<FrameTexts & Words>({
    fr: { ...frenchFrameTexts, ...words.fr },
    ar: { ...arabicFrameTexts, ...words.ar },
    en: { ...englishFrameTexts, ...words.en },
  })
  return chooseLanguage(locales, keptLanguage)
}

export const frameLocaleOf = createPersonLocales({ fr: {}, ar: {}, en: {} })

/** Forms and redirects don't repeat `lang`, so a cookie keeps the choice. */
export function keepLanguage(req: Request, res: Response, next: NextFunction): void {
  const { code } = frameLocaleOf(res)
  if (req.query.lang === code && keptLanguage(req) !== code) {
    const kept = { path: '/', secure: true, httpOnly: true, sameSite: 'lax', maxAge: yearSeconds } as const
    addHeader(res, 'Set-Cookie', stringifySetCookie({ name: cookieName, value: code, ...kept }))
  }
  next()
}
