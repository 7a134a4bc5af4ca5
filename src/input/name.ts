/** The two kinds of text that people type or paste, and by which things are later found again. */
export type NameKind = 'name' | 'reference'

/** Longer texts are not normalised, because NFC can take quadratic time. Each caller's own limit refuses or cuts it. */
const maxTypedLength = 1024

const blanks = /[\p{White_Space}\p{Default_Ignorable_Code_Point}]+/gu
/** In Arabic and other scripts, the two joiners change how a word looks. */
const formatCharacters = /(?![\u200C\u200D])\p{Cf}/gu

/**
 * Whether a string contains more than `maxLength` Unicode code points, the unit in which JSON Schema measures length.
 */
export const isLonger = (text: string, maxLength: number): boolean =>
  text.length > maxLength && Array.from(text).length > maxLength

/** Whether a text contains nothing that can be seen. */
export const isBlank = (text: string): boolean =>
  /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(text)

/**
 * Returns a name or reference in its stored form, to store it or to look it up, or null if it is blank or contains
 * forbidden characters. A text in its stored form stays as it is.
 */
export function readName(kind: NameKind, typed: string): string | null {
  if (!typed.isWellFormed()) return null
  if (typed.length > maxTypedLength) return typed.includes('\0') ? null : typed
  // Removing characters can bring together what NFC composes, so NFC comes second.
  const kept = kind === 'name' ? typed.replaceAll(formatCharacters, '') : typed.replaceAll(/[\u2010-\u2015]/g, '-')
  const text = kept
    .normalize('NFC')
    .replaceAll(blanks, (run, at: number, whole: string) =>
      at === 0 || at + run.length === whole.length ? '' : run.replaceAll(/\p{White_Space}+/gu, ' '),
    )
  const forbidden = kind === 'name' ? /\p{Cc}/u : /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u
  return isBlank(text) || forbidden.test(text) ? null : text
}
