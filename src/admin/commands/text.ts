/**
 * Characters that could change how a terminal shows the text around them: control characters, invisible formatting
 * characters such as those that reverse the text direction, and line separators.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Returns text from a merchant in a form that a terminal shows as it is, for example with `\u{1b}` for ESC. */
export const plainText = (text: string): string =>
  text.replaceAll(unsafe, (character) => String.raw`\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)

/** Returns an error message of Commander, which may repeat an argument, with its suggestion on a line of its own. */
export const plainMessage = (text: string): string =>
  `${text
    .trimEnd()
    .split(/\n(?=\(Did you mean [^\n]*\)$)/)
    .map(plainText)
    .join('\n')}\n`

/** Returns an object as JSON in which every unsafe character is escaped. A program that reads it gets the same text. */
export const jsonText = (result: object): string =>
  JSON.stringify(result).replaceAll(unsafe, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
  )

const escaped = (unit: number): string => String.raw`\u${unit.toString(16).padStart(4, '0')}`

/** Formats a time to the second, such as `2026-11-21T07:35:12Z`. */
export const second = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`

/** Formats the UTC day of a time, such as `2026-11-21`. */
export const dayOf = (time: Date | null): string | null => time?.toISOString().slice(0, 10) ?? null

/** Formats a value in a single line. A list becomes `one, other`, and an object `name 3, other 5`. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (value instanceof Date) return second(value)
  if (Array.isArray(value)) return value.map(valueText).join(', ') || 'none'
  if (typeof value === 'object')
    return (
      Object.entries(value)
        .map(([name, part]) => `${name} ${valueText(part)}`)
        .join(', ') || 'none'
    )
  return plainText(typeof value === 'string' ? value : JSON.stringify(value))
}

/** Formats the result of a command that changes something, as one `name: value` line for each field. */
export const linesOf = (result: object): string =>
  Object.entries(result)
    .map(([name, value]) => `${name}: ${hasRows(value) ? rowsOf(value) : valueText(value)}`)
    .join('\n')

export const hasRows = (value: unknown): value is object[] =>
  Array.isArray(value) && typeof value[0] === 'object' && value[0] !== null

const rowsOf = (rows: object[]): string =>
  rows.map((row) => `\n  ${Object.values(row).map(rowCell).join('  ').trimEnd()}`).join('')

const rowCell = (value: unknown): string => (value === null ? '' : valueText(value))
