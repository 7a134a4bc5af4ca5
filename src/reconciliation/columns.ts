/** The names of the columns of a provider's file. */
export const columnNames = ['key', 'kind', 'amount', 'fee', 'time'] as const
export type ColumnName = (typeof columnNames)[number]

/** The columns that a file may lack. */
const optional: readonly ColumnName[] = ['kind', 'fee']

/** The header of each column that was named with `--columns`. */
export type Headers = Partial<Record<ColumnName, string>>

/** The position of each column in a row. */
export type ColumnPositions = Partial<Record<ColumnName, number>> & Record<'key' | 'amount' | 'time', number>

/**
 * Finds the columns in the header row. The header of a column that `named` does not contain is the column's own name.
 * Returns an error message if a column is missing or occurs twice. Only `kind` and `fee` may be missing, and only if
 * `named` does not contain them.
 */
export function findColumns(cells: readonly string[], named: Headers): ColumnPositions | string {
  const titles = cells.map((cell) => cell.trim())
  const positions: Partial<Record<ColumnName, number>> = {}
  for (const name of columnNames) {
    const header = named[name] ?? name
    const at = titles.indexOf(header)
    if (at >= 0 && titles.includes(header, at + 1)) return `The file has two columns "${header}".`
    if (at >= 0) positions[name] = at
    else if (named[name] !== undefined || !optional.includes(name))
      return `The file has no column "${header}" for the ${name}. Its first line is: ${titles.map(shown).join(' | ')}. Name the columns with --columns.`
  }
  return positions as ColumnPositions
}

/** Hides a cell with many digits, because a file without a header may begin with a phone number. */
const shown = (title: string): string => (/\d{8}/.test(title) ? '…' : title.slice(0, 40))
