import { readName } from '../../../input/name.ts'
import type { Faults } from './faults.ts'
import { type Column, columns } from './row.ts'

export interface Header {
  /** The index of each column in a row. */
  indexes: Partial<Record<Column, number>> & { handle: number }
  /** The number of cells in the header. */
  width: number
  /** The indexes of the columns that have a blank name. */
  unnamed: number[]
}

/** A row with more cells than this cannot be a header. */
const maxCells = 100
/**
 * The maximum number of bytes in which to search for the delimiter. This is about ten times the length of the longest
 * possible header.
 */
const firstLineBytes = 1024

/**
 * Returns the file's first line. If the line is very long, returns only as much of it as is needed to recognise the
 * delimiter.
 */
export const firstLineOf = (bytes: Buffer): string =>
  bytes.toString('utf8', 0, firstLineBytes).split(/[\r\n]/, 1)[0] ?? ''

/** Returns the delimiter that occurs more often in the first line, or a comma if both occur equally often. */
export const delimiterOf = (firstLine: string): ';' | ',' =>
  firstLine.split(';').length > firstLine.split(',').length ? ';' : ','

/**
 * Reads the header. The column names may be in any order, and their case is ignored. If the header is invalid, adds one
 * or more faults and returns null.
 */
export function readHeader(cells: readonly string[], faults: Faults): Header | null {
  const names = cells.map((cell) => {
    const name = readName('name', cell)?.toLowerCase() ?? ''
    return isColumn(name) ? name : cell.trim().toLowerCase()
  })
  const messages = faultsOf(names)
  for (const message of messages) faults.add({ row: 1, column: null, message })
  if (messages.length > 0) return null
  const named = names.flatMap((name, index) => (isColumn(name) ? [[name, index]] : []))
  return {
    indexes: Object.fromEntries(named),
    width: names.length,
    unnamed: names.flatMap((name, index) => (name === '' ? [index] : [])),
  }
}

const expected = `The first row must name columns, separated by commas or semicolons. The columns are ${columns.join(', ')}.`

function faultsOf(names: string[]): string[] {
  if (names.every((name) => name === '')) return [`The first row is blank. ${expected}`]
  if (names.length > maxCells) return [`The first row has ${names.length} cells. ${expected}`]
  const unknown = names.filter((name) => name !== '' && !isColumn(name))
  const repeated = names.filter((name, index) => isColumn(name) && names.indexOf(name) !== index)
  return [
    ...(names[0] === 'sep=' ? ['Remove the line sep=, which only Excel understands.'] : []),
    ...unknown.map((name) => `There is no column ${JSON.stringify(name.slice(0, 100))}. ${expected}`),
    ...[...new Set(repeated)].map((name) => `The column ${name} occurs more than once.`),
    ...(names.includes('handle') ? [] : ['The column handle is missing.']),
  ]
}

const isColumn = (name: string): name is Column => (columns as readonly string[]).includes(name)
