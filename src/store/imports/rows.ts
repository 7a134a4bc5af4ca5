import { currencyCode, formatCentimes } from '../../../schemas/currency.ts'
import * as products from '../../../schemas/products.ts'
import { isLongerThan, type NameKind, normaliseName } from '../../input/name.ts'
import { isStorableText } from '../../input/validate.ts'
import { isShortenedNumber } from '../../platform/csv.ts'
import { type ErrorCode, refuse } from '../../platform/errors.ts'
import { runInSlices } from '../../platform/in-slices.ts'

type ParsedCell<T> = { value: T } | { message: string; code: ErrorCode }

const yes = new Set(['true', '1', 'yes', 'oui', 'vrai'])
const no = new Set(['false', '0', 'no', 'non', 'faux'])

/** Exports have the columns in this order. */
export const createCellParsers = (maxAmount: number) => ({
  handle: (text: string) => readTyped('name', text, products.maxHandleLength),
  name: (text: string) => readTyped('name', text, products.maxProductNameLength),
  description: (text: string) => readText(text, products.maxDescriptionLength),
  variant_label: (text: string) => readTyped('name', text, products.maxVariantLabelLength),
  sku: readSku,
  price: (text: string) => readPrice(text, maxAmount),
  stock: readStock,
  active: readActive,
})

function readSku(text: string): ParsedCell<string> {
  if (isShortenedNumber(text.trim()))
    return wrong('A spreadsheet shortened this SKU. Format the column as text, and enter the SKU again.')
  return readTyped('reference', text, products.maxSkuLength)
}

function readTyped(kind: NameKind, text: string, maxLength: number): ParsedCell<string> {
  const name = normaliseName(kind, text)
  if (name !== null) return readText(name, maxLength)
  const some = kind === 'name' ? 'control' : 'control or invisible'
  return wrong(`The value must be valid Unicode without ${some} characters, and must not be blank.`)
}

function readText(text: string, maxLength: number): ParsedCell<string> {
  if (isLongerThan(text, maxLength)) return wrong(`The value can have at most ${maxLength} characters.`)
  return isStorableText(text)
    ? { value: text }
    : wrong('The value must be valid Unicode without NUL characters.')
}

function readPrice(text: string, maxAmount: number): ParsedCell<number> {
  const price = wholeNumber(text)
  if (price === null)
    return wrong(
      `The price must be a whole number of centimes. Write 1250 for ${formatCentimes(1250)} ${currencyCode}.`,
    )
  return price >= 0 && price <= maxAmount
    ? { value: price }
    : { message: `The price must be between 0 and ${maxAmount} centimes.`, code: 'AMOUNT_OUT_OF_RANGE' }
}

function readStock(text: string): ParsedCell<number> {
  const stock = wholeNumber(text)
  return stock !== null && stock >= 0 && stock <= products.maxStockUnits
    ? { value: stock }
    : wrong(`The stock must be a whole number from 0 to ${products.maxStockUnits}.`)
}

function readActive(text: string): ParsedCell<boolean> {
  const word = text.trim().toLowerCase()
  return yes.has(word) || no.has(word)
    ? { value: yes.has(word) }
    : wrong('The value must be true or false (or 1, 0, yes, no, oui, non, vrai, faux).')
}

/** Accepts only ASCII digits. Adding 0 turns `-0` into 0. */
const wholeNumber = (text: string): number | null =>
  /^-?[0-9]+$/.test(text.trim()) ? Number(text) + 0 : null

const wrong = (message: string) => ({ message, code: 'VALIDATION_ERROR' }) as const

export type CellParsers = ReturnType<typeof createCellParsers>
export type ProductColumn = keyof CellParsers
export const productColumns = Object.keys(createCellParsers(0)) as ProductColumn[]

type Parsed<Column extends ProductColumn> = Extract<
  ReturnType<CellParsers[Column]>,
  { value: unknown }
>['value']

/** Null stands for a blank cell, which doesn't change the field. */
export type ParsedCells = { [Column in ProductColumn]: Parsed<Column> | null }

/** `row` is numbered as in a spreadsheet, with the header as row 1. */
export type ProductRow = ParsedCells & { row: number; handle: string }

export const maxImportRows = 5_000

export interface CsvRowError {
  row: number
  column: ProductColumn | null
  message: string
  code: ErrorCode
}

const maxListed = 100
/** A file can have 40,000 errors. Sorting 1,000 takes less than 1 ms. */
const maxKept = 1_000

export type CsvErrors = ReturnType<typeof createCsvErrors>

export function createCsvErrors() {
  let kept: CsvRowError[] = []
  let count = 0
  const firstByRow = () => kept.toSorted((a, b) => a.row - b.row).slice(0, maxListed)
  return {
    add(row: number, column: ProductColumn | null, message: string, code: ErrorCode = 'VALIDATION_ERROR') {
      kept.push({ row, column, message, code })
      count += 1
      if (kept.length > maxKept) kept = firstByRow()
    },
    /** The error has the code of the first row's error. */
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

export interface MatchedRow {
  row: ProductRow
  productId: string | null
  variantId: string | null
  givesSku: boolean
}

export interface SkuOwner {
  productId: string
  handle: string
  variantId: string
}

/**
 * Variants of a product may swap SKUs, but can't take one from another product,
 * because each write changes only one product.
 */
export async function checkImportedSkus(
  matched: readonly MatchedRow[],
  owners: ReadonlyMap<string, SkuOwner>,
  faults: CsvErrors,
): Promise<void> {
  const givenSkus = new Map(matched.map(({ row, variantId }) => [variantId, row.sku]))
  const firstRows = new Map<string, number>()
  await runInSlices(matched, (each) => {
    const { row, sku } = each.row
    if (sku === null) return
    const first = firstRows.get(sku)
    firstRows.set(sku, first ?? row)
    const message =
      first === undefined ? heldBy(owners.get(sku), each, givenSkus) : `Row ${first} already has this SKU.`
    if (message !== null) faults.add(row, 'sku', message)
  })
}

function heldBy(
  owner: SkuOwner | undefined,
  { productId, variantId }: MatchedRow,
  givenSkus: ReadonlyMap<string | null, string | null>,
): string | null {
  if (owner === undefined || owner.variantId === variantId) return null
  if (owner.productId !== productId)
    return `The product with the handle ${owner.handle} has this SKU. Change it there first.`
  const getsOther = (givenSkus.get(owner.variantId) ?? null) !== null
  return getsOther ? null : 'Another variant of this product has this SKU.'
}
