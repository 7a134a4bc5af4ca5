export type NameKind = 'name' | 'reference'

/** Longer text isn't normalised, because NFC can take quadratic time. */
const maxTypedLength = 1024

const blanks = /[\p{White_Space}\p{Default_Ignorable_Code_Point}]+/gu
/** Keeps two joiners that change how words look in Arabic and other scripts. */
const formatCharacters = /(?![\u200C\u200D])\p{Cf}/gu

/** Counts code points, as JSON Schema does. */
export const isLongerThan = (text: string, maxLength: number): boolean =>
  text.length > maxLength && Array.from(text).length > maxLength

export const isBlankText = (text: string): boolean =>
  /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text)

/** Normalising a stored name again doesn't change it. */
export function normaliseName(kind: NameKind, typed: string): string | null {
  if (!typed.isWellFormed()) return null
  if (typed.length > maxTypedLength) return typed.includes('\0') ? null : typed
  // Removing characters lets others combine, so NFC comes second.
  const kept =
    kind === 'name' ? typed.replaceAll(formatCharacters, '') : typed.replaceAll(/[\u2010-\u2015]/g, '-')
  const text = kept
    .normalize('NFC')
    .replaceAll(blanks, (run, at: number, whole: string) =>
      at === 0 || at + run.length === whole.length ? '' : run.replaceAll(/\p{White_Space}+/gu, ' '),
    )
  const forbidden = kind === 'name' ? /\p{Cc}/u : /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u
  return isBlankText(text) || forbidden.test(text) ? null : text
}
