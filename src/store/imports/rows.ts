import { currencyCode, decimal } from '../../../schemas/currency.ts'
import {
  maxDescriptionLength,
  maxHandleLength,
  maxLabelLength,
  maxNameLength,
  maxSkuLength,
  maxStock,
} from '../../../schemas/products.ts'
import { isLonger, type NameKind, readName } from '../../input/name.ts'
import { isStorable } from '../../input/validate.ts'
import { type ErrorCode, refuse } from '../../platform/errors.ts'
import { inSlices } from '../../platform/in-slices.ts'

/** The parsed value of a cell that isn't blank, or why it's invalid. */
export type ParsedCell<T> = { value: T } | { message: string; code: ErrorCode }

export type CellParsers = { [C in Column]: (text: string) => ParsedCell<ColumnValues[C]> }

/** Words for true and false that people and spreadsheets use, in English and French. */
const yes: ReadonlySet<string> = new Set(['true', '1', 'yes', 'oui', 'vrai'])
const no: ReadonlySet<string> = new Set(['false', '0', 'no', 'non', 'faux'])

/** A string that looks like a formula is kept. `maxAmount` is the highest price allowed. */
export const createCellParsers = (maxAmount: number): CellParsers => ({
  handle: (text) => readTyped('name', text, maxHandleLength),
  name: (text) => readTyped('name', text, maxNameLength),
  description: (text) => readText(text, maxDescriptionLength),
  variant_label: (text) => readTyped('name', text, maxLabelLength),
  sku: (text) => readTyped('reference', text, maxSkuLength),
  price: (text) => readPrice(text, maxAmount),
  stock: readStock,
  active: readActive,
})

function readTyped(kind: NameKind, text: string, maxLength: number): ParsedCell<string> {
  const name = readName(kind, text)
  if (name !== null) return readText(name, maxLength)
  const some = kind === 'name' ? 'control' : 'control and invisible'
  return wrong(`The value must be valid Unicode without ${some} characters, and must not be blank.`)
}

function readText(text: string, maxLength: number): ParsedCell<string> {
  if (isLonger(text, maxLength)) return wrong(`The value can have at most ${maxLength} characters.`)
  return isStorable(text) ? { value: text } : wrong('The value must be valid Unicode without NUL characters.')
}

function readPrice(text: string, maxAmount: number): ParsedCell<number> {
  const price = wholeNumber(text)
  if (price === null)
    return wrong(
      `The price must be a whole number of centimes. Write 1250 for ${decimal(1250)} ${currencyCode}.`,
    )
  return price >= 0 && price <= maxAmount
    ? { value: price }
    : { message: `The price must be from 0 to ${maxAmount} centimes.`, code: 'AMOUNT_OUT_OF_RANGE' }
}

function readStock(text: string): ParsedCell<number> {
  const stock = wholeNumber(text)
  return stock !== null && stock >= 0 && stock <= maxStock
    ? { value: stock }
    : wrong(`The stock must be a whole number from 0 to ${maxStock}.`)
}

function readActive(text: string): ParsedCell<boolean> {
  const word = text.trim().toLowerCase()
  if (yes.has(word)) return { value: true }
  return no.has(word)
    ? { value: false }
    : wrong('The value must be true or false (or 1, 0, yes, no, oui, non, vrai, faux).')
}

/**
 * ASCII digits with an optional minus sign. Null for anything else, such as `12,50`, `1 250`, `1e3` or `٥`. Adding 0
 * makes `-0` a 0.
 */
const wholeNumber = (text: string): number | null =>
  /^-?[0-9]+$/.test(text.trim()) ? Number(text) + 0 : null

const wrong = (message: string) => ({ message, code: 'VALIDATION_ERROR' }) as const

/** In the order in which they're exported. */
export const productColumns = [
  'handle',
  'name',
  'description',
  'variant_label',
  'sku',
  'price',
  'stock',
  'active',
] as const

export type Column = (typeof productColumns)[number]

/** Prices are in centimes. */
export interface ColumnValues {
  handle: string
  name: string
  description: string
  variant_label: string
  sku: string
  price: number
  stock: number
  active: boolean
}

/** Null stands for a blank cell, which doesn't change the field. */
export type Cells = { [C in Column]: ColumnValues[C] | null }

/** `row` counts as in a spreadsheet, with the header as row 1. All rows with one handle describe one product. */
export type ProductRow = Cells & { row: number; handle: string }

/** Not counting the header. */
export const maxRows = 5_000

export interface CsvFault {
  row: number
  /** Null if the whole row is at fault. */
  column: Column | null
  message: string
  /** VALIDATION_ERROR by default. */
  code?: ErrorCode
}

/** How many faults a response lists. */
const maxListed = 100
/**
 * Beyond this, only the hundred faults with the lowest row numbers stay in memory. A file can have 40 000, and sorting
 * 1 000 of them takes less than 1 ms.
 */
const maxKept = 1_000

/** Collects a file's faults, so that a single response can list them. */
export type Faults = ReturnType<typeof createFaults>

export function createFaults() {
  let kept: Required<CsvFault>[] = []
  let count = 0
  const firstByRow = () => kept.toSorted((a, b) => a.row - b.row).slice(0, maxListed)
  return {
    add(fault: CsvFault): void {
      kept.push({ code: 'VALIDATION_ERROR', ...fault })
      count += 1
      if (kept.length > maxKept) kept = firstByRow()
    },
    /**
     * Throws if there are faults, with the error code of the first one by row. The details contain the first hundred,
     * and the number of further ones.
     */
    refuseIfAny(): void {
      const listed = firstByRow()
      const [first] = listed
      if (first === undefined) return
      throw refuse(first.code, {
        param: first.column ?? 'csv',
        message: `Row ${first.row}${first.column === null ? '' : `, ${first.column}`}: ${first.message}`,
        details: { faults: listed, more: count - listed.length },
      })
    },
  }
}

/** A row with the ids of what it describes, or null for a new product or a new variant. */
export interface MatchedRow {
  row: ProductRow
  productId: string | null
  variantId: string | null
  /** Whether the variant gets a new SKU. */
  givesSku: boolean
}

/** The variant that has a SKU now. */
export interface SkuOwner {
  productId: string
  handle: string
  variantId: string
}

/**
 * Adds a fault for each row whose SKU occurs in an earlier row, or belongs to a different variant – unless that one is
 * of the same product and gets another SKU from the file. So variants of one product may swap SKUs, but a SKU can't go
 * from one product to another, because each write changes only one product. `owners` maps each new SKU in the rows to
 * the variant that has it now.
 */
export async function checkSkus(
  matched: readonly MatchedRow[],
  owners: ReadonlyMap<string, SkuOwner>,
  faults: Faults,
): Promise<void> {
  const givenSkus = new Map(matched.map(({ row, variantId }) => [variantId, row.sku]))
  const firstRows = new Map<string, number>()
  await inSlices(matched, (each) => {
    const { row, sku } = each.row
    if (sku === null) return
    const first = firstRows.get(sku)
    firstRows.set(sku, first ?? row)
    const message =
      first === undefined ? heldBy(owners.get(sku), each, givenSkus) : `Row ${first} already has this SKU.`
    if (message !== null) faults.add({ row, column: 'sku', message })
  })
}

function heldBy(
  owner: SkuOwner | undefined,
  { productId, variantId }: MatchedRow,
  givenSkus: ReadonlyMap<string | null, string | null>,
): string | null {
  if (owner === undefined || owner.variantId === variantId) return null
  if (owner.productId !== productId)
    return `The product with the handle ${owner.handle} has this SKU: change it there first.`
  const isGivenAway = (givenSkus.get(owner.variantId) ?? null) !== null
  return isGivenAway ? null : 'Another variant of this product has this SKU.'
}
