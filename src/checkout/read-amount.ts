import { centimesPerUnit, currencyCode, decimals } from '../../schemas/currency.ts'
import { plainDigits } from '../input/digits.ts'

/** Characters that separate the digits of a large number. */
const separators = /[\s'’_٬]/gu
/** A sign before the last digits separates decimals. Any other sign separates thousands. */
const decimalForm = new RegExp(String.raw`^(\d*)(?:[.,٫](\d{0,${decimals}}))?$`)
const groupedForm = new RegExp(
  String.raw`^[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*(?!\1)(?:[.,٫]\d{0,${decimals}})?$`,
)
const currencyAtEnd = new RegExp(`${currencyCode}$`, 'i')

/**
 * Returns the centimes of an amount that a customer typed: `500`, `500,5`, `1 500.00`, `1.500,00`, `١٬٥٠٠٫٥٠`.
 * `unclear`: `1,500` may mean one and a half, or one thousand five hundred. Null if the text is not an amount.
 */
export function readAmount(typed: string): number | 'unclear' | null {
  const text = plainDigits(typed).replaceAll(separators, '').replaceAll('،', ',').replace(currencyAtEnd, '')
  const isGrouped = groupedForm.test(text)
  // Several separators, or a different sign after them, would make the meaning clear.
  if (isGrouped && text.match(/[.,٫]/g)?.length === 1) return 'unclear'
  const plain = isGrouped ? text.replace(/[.,](?=\d{3})/g, '') : text
  const [, units = '', cents = ''] = decimalForm.exec(plain) ?? []
  if (units === '' && cents === '') return null
  const centimes = Number(units) * centimesPerUnit + Number(cents.padEnd(decimals, '0'))
  return Number.isSafeInteger(centimes) ? centimes : null
}
