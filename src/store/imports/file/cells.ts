import { currencyCode, decimal } from '../../../../schemas/currency.ts'
import {
  maxDescriptionLength,
  maxHandleLength,
  maxLabelLength,
  maxNameLength,
  maxSkuLength,
  maxStock,
} from '../../../../schemas/product-limits.ts'
import { isLonger, type NameKind, readName } from '../../../input/name.ts'
import { isStorable } from '../../../input/validate.ts'
import type { ErrorCode } from '../../../platform/errors.ts'
import type { Column, Values } from './row.ts'

/** The value of a cell that is not blank, or the reason why the cell is invalid. */
export type Cell<T> = { value: T } | { message: string; code: ErrorCode }

/** For each column, the function that reads the cells of that column. */
export type Readers = { [C in Column]: (text: string) => Cell<Values[C]> }

/** The words for true and false that people and spreadsheets use, in English and French. */
const yes: ReadonlySet<string> = new Set(['true', '1', 'yes', 'oui', 'vrai'])
const no: ReadonlySet<string> = new Set(['false', '0', 'no', 'non', 'faux'])

/**
 * Creates the functions that read the cells. A string that looks like a formula is kept. `maxAmount` is the highest
 * price allowed.
 */
export const createReaders = (maxAmount: number): Readers => ({
  handle: (text) => readTyped('name', text, maxHandleLength),
  name: (text) => readTyped('name', text, maxNameLength),
  description: (text) => readText(text, maxDescriptionLength),
  variant_label: (text) => readTyped('name', text, maxLabelLength),
  sku: (text) => readTyped('reference', text, maxSkuLength),
  price: (text) => readPrice(text, maxAmount),
  stock: readStock,
  active: readActive,
})

function readTyped(kind: NameKind, text: string, maxLength: number): Cell<string> {
  const name = readName(kind, text)
  if (name !== null) return readText(name, maxLength)
  const some = kind === 'name' ? 'control' : 'control and invisible'
  return fault(`The value must be valid Unicode without ${some} characters, and must not be blank.`)
}

function readText(text: string, maxLength: number): Cell<string> {
  if (isLonger(text, maxLength)) return fault(`The value can have at most ${maxLength} characters.`)
  return isStorable(text) ? { value: text } : fault('The value must be valid Unicode without NUL characters.')
}

function readPrice(text: string, maxAmount: number): Cell<number> {
  const price = wholeNumber(text)
  if (price === null)
    return fault(`The price must be a whole number of centimes. Write 1250 for ${decimal(1250)} ${currencyCode}.`)
  return price >= 0 && price <= maxAmount
    ? { value: price }
    : { message: `The price must be from 0 to ${maxAmount} centimes.`, code: 'AMOUNT_OUT_OF_RANGE' }
}

function readStock(text: string): Cell<number> {
  const stock = wholeNumber(text)
  return stock !== null && stock >= 0 && stock <= maxStock
    ? { value: stock }
    : fault(`The stock must be a whole number from 0 to ${maxStock}.`)
}

function readActive(text: string): Cell<boolean> {
  const word = text.trim().toLowerCase()
  if (yes.has(word)) return { value: true }
  return no.has(word)
    ? { value: false }
    : fault('The value must be true or false (or 1, 0, yes, no, oui, non, vrai, faux).')
}

/**
 * Parses a whole number, which consists of ASCII digits with an optional minus sign. Returns null for any other text,
 * such as `12,50`, `1 250`, `1e3` or `٥`. Adding 0 turns `-0` into 0.
 */
const wholeNumber = (text: string): number | null => (/^-?[0-9]+$/.test(text.trim()) ? Number(text) + 0 : null)

const fault = (message: string) => ({ message, code: 'VALIDATION_ERROR' }) as const
