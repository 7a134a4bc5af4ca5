import { createPersonLocales, type PersonLocale } from '../people-pages/locale.ts'
import { arabicTillTexts } from './words/ar.ts'
import { englishTillTexts, type TillTexts } from './words/en.ts'
import { frenchTillTexts } from './words/fr.ts'

export type TillLocale = PersonLocale<TillTexts>

export const localeOf = createPersonLocales<TillTexts>({
  fr: frenchTillTexts,
  ar: arabicTillTexts,
  en: englishTillTexts,
})
