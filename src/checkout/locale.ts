import { chooseLanguage, createLocales, type Locale as PageLocale } from '../http/pages/locale.ts'
import { arabicCheckoutTexts } from './words/ar.ts'
import { type CheckoutTexts, englishCheckoutTexts } from './words/en.ts'
import { frenchCheckoutTexts } from './words/fr.ts'

export type Locale = PageLocale<CheckoutTexts>

export const locales = createLocales<CheckoutTexts>({
  fr: frenchCheckoutTexts,
  ar: arabicCheckoutTexts,
  en: englishCheckoutTexts,
})

export const localeOf = chooseLanguage(locales)
