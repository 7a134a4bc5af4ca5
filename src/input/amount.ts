import { centimesPerUnit, currencyCode, currencyDecimals } from '../../schemas/currency.ts'
import { normaliseDigits } from './digits.ts'

const separators = /[\s'’_٬]/gu
/** At most two digits after the last separator are decimals. */
const decimalForm = new RegExp(String.raw`^(\d*)(?:[.,٫](\d{0,${currencyDecimals}}))?$`)
const groupedForm = new RegExp(
  String.raw`^[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*(?!\1)(?:[.,٫]\d{0,${currencyDecimals}})?$`,
)
const currencyAtEnd = new RegExp(`${currencyCode}$`, 'i')

/**
 * Reads e.g. `500,5`, `1 500.00` or `١٬٥٠٠٫٥٠`, and returns centimes.
 * `1,500` is `unclear`, because it could also mean one and a half.
 */
export function parseTypedAmount(typed: string): number | 'unclear' | null {
  const text = normaliseDigits(typed)
    .replaceAll(separators, '')
    .replaceAll('،', ',')
    .replace(currencyAtEnd, '')
  const isGrouped = groupedForm.test(text)
  // `1,500,000` and `1.500,00` can only mean one thing.
  if (isGrouped && text.match(/[.,٫]/g)?.length === 1) return 'unclear'
  const plain = isGrouped ? text.replace(/[.,](?=\d{3})/g, '') : text
  const [, units = '', cents = ''] = decimalForm.exec(plain) ?? []
  if (units === '' && cents === '') return null
  const centimes = Number(units) * centimesPerUnit + Number(cents.padEnd(currencyDecimals, '0'))
  return Number.isSafeInteger(centimes) ? centimes : null
}
