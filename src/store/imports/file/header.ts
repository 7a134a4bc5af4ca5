import type { Faults } from './faults.ts'
import { type Column, columns } from './row.ts'

/** Where each column stands, counted from 0, how many cells a row has, and which of them the header does not name. */
export interface Header {
  places: Partial<Record<Column, number>> & { handle: number }
  width: number
  unnamed: number[]
}

/** More cells than this are no header of ours. */
const maxCells = 100
/** Ten times what the longest header of ours takes. */
const firstLineBytes = 1024

/** The first line of a file, or as much of it as tells the delimiter. */
export const firstLineOf = (bytes: Buffer): string =>
  bytes.toString('utf8', 0, firstLineBytes).split(/[\r\n]/, 1)[0] ?? ''

/** Whichever of `;` and `,` stands more often in the first line. */
export const delimiterOf = (firstLine: string): ';' | ',' =>
  firstLine.split(';').length > firstLine.split(',').length ? ';' : ','

/** Reads row 1: names in any case and order, `handle` among them, none twice. Null, and what is wrong among the faults, where it is not that. */
export function readHeader(cells: readonly string[], faults: Faults): Header | null {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  const wrong = faultsOf(names)
  for (const message of wrong) faults.add({ row: 1, column: null, message })
  if (wrong.length > 0) return null
  const named = names.flatMap((name, place) => (isColumn(name) ? [[name, place]] : []))
  return {
    places: Object.fromEntries(named),
    width: names.length,
    unnamed: names.flatMap((name, place) => (name === '' ? [place] : [])),
  }
}

const expected = `The first row must name columns, separated by commas or semicolons. The columns are ${columns.join(', ')}.`

function faultsOf(names: string[]): string[] {
  if (names.every((name) => name === '')) return [`The first row is blank. ${expected}`]
  if (names.length > maxCells) return [`The first row has ${names.length} cells. ${expected}`]
  const unknown = names.filter((name) => name !== '' && !isColumn(name))
  const repeated = names.filter((name, place) => isColumn(name) && names.indexOf(name) !== place)
  return [
    ...(names[0] === 'sep=' ? ['Remove the line sep=, which only Excel understands.'] : []),
    ...unknown.map((name) => `There is no column ${JSON.stringify(name.slice(0, 100))}. ${expected}`),
    ...[...new Set(repeated)].map((name) => `The column ${name} occurs more than once.`),
    ...(names.includes('handle') ? [] : ['The column handle is missing.']),
  ]
}

const isColumn = (name: string): name is Column => (columns as readonly string[]).includes(name)
