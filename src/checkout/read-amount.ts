import { centimesPerUnit, currencyCode, decimals } from '../../schemas/currency.ts'
import { plainDigits } from '../input/digits.ts'

/** Only group the digits of a large number. */
const separators = /[\s'’_٬]/gu
/** A separator with at most two digits after it, at the end, begins the decimals. All others group thousands. */
const decimalForm = new RegExp(String.raw`^(\d*)(?:[.,٫](\d{0,${decimals}}))?$`)
const groupedForm = new RegExp(
  String.raw`^[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*(?!\1)(?:[.,٫]\d{0,${decimals}})?$`,
)
const currencyAtEnd = new RegExp(`${currencyCode}$`, 'i')

/**
 * Reads what a customer typed, such as `500`, `500,5`, `1 500.00`, `1.500,00` or `١٬٥٠٠٫٥٠`. Returns centimes, or null
 * if it isn't an amount. `unclear` is text such as `1,500`: one and a half, or one thousand five hundred?
 */
export function readAmount(typed: string): number | 'unclear' | null {
  const text = plainDigits(typed).replaceAll(separators, '').replaceAll('،', ',').replace(currencyAtEnd, '')
  const isGrouped = groupedForm.test(text)
  // Only a single separator is unclear: `1,500,000` and `1.500,00` can mean just one thing.
  if (isGrouped && text.match(/[.,٫]/g)?.length === 1) return 'unclear'
  const plain = isGrouped ? text.replace(/[.,](?=\d{3})/g, '') : text
  const [, units = '', cents = ''] = decimalForm.exec(plain) ?? []
  if (units === '' && cents === '') return null
  const centimes = Number(units) * centimesPerUnit + Number(cents.padEnd(decimals, '0'))
  return Number.isSafeInteger(centimes) ? centimes : null
}
