import type { Readers, Values } from './cells.ts'
import type { Faults } from './faults.ts'
import type { Header } from './header.ts'
import type { Column, ProductRow } from './row.ts'

export const isBlank = (text: string): boolean => text.trim() === ''

/**
 * Reads the cells of a row that is not blank. Blank cells at the end of the row may be missing, because some
 * spreadsheets omit them. Adds a fault for each invalid cell. If the row does not fit the header, adds a fault and
 * returns null.
 */
export function readRow(
  header: Header,
  readers: Readers,
  cells: string[],
  row: number,
  faults: Faults,
): ProductRow | null {
  const shape = faultOfShape(header, cells)
  if (shape !== null) {
    faults.add({ row, column: null, message: shape })
    return null
  }
  const read = <C extends Column>(column: C): Values[C] | null => {
    const text = cells[header.indexes[column] ?? cells.length] ?? ''
    if (isBlank(text)) return null
    const cell = readers[column](text)
    if ('value' in cell) return cell.value
    faults.add({ row, column, ...cell })
    return null
  }
  if (isBlank(cells[header.indexes.handle] ?? ''))
    faults.add({
      row,
      column: 'handle',
      message: 'The handle is required. Rows with the same handle are one product.',
    })
  return {
    row,
    handle: read('handle') ?? '',
    name: read('name'),
    description: read('description'),
    variantLabel: read('variant_label'),
    sku: read('sku'),
    price: read('price'),
    stock: read('stock'),
    active: read('active'),
  }
}

function faultOfShape({ width, unnamed }: Header, cells: string[]): string | null {
  if (cells.length > width)
    return `The row has ${cells.length} cells, but the header has ${width}. Put a cell that contains the delimiter in quotes.`
  const index = unnamed.find((each) => !isBlank(cells[each] ?? ''))
  return index === undefined ? null : `Cell ${index + 1} of this row is in a column without a name.`
}
