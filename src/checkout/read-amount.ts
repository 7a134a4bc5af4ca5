import { plainDigits } from '../input/digits.ts'

/** What people put between the digits of a large number. */
const between = /[\s'’_٬]/gu
/** The sign before the last one or two digits; every other is between thousands. */
const decimalForm = /^(\d*)(?:[.,٫](\d{0,2}))?$/
const groupedForm = /^[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*(?!\1)(?:[.,٫]\d{0,2})?$/

/**
 * The centimes of an amount as somebody typed it: `500`, `500,5`, `1 500.00`, `1.500,00`, `١٬٥٠٠٫٥٠`. `unclear` is `1,500`, of which nobody
 * can tell whether it is one and a half or a thousand and a half; null anything else.
 */
export function readAmount(typed: string): number | 'unclear' | null {
  const text = plainDigits(typed).replaceAll(between, '').replaceAll('،', ',').replace(/MRU$/i, '')
  const isGrouped = groupedForm.test(text)
  // Beyond doubt: there are several signs between thousands, or another one after them.
  if (isGrouped && text.match(/[.,٫]/g)?.length === 1) return 'unclear'
  const plain = isGrouped ? text.replace(/[.,](?=\d{3})/g, '') : text
  const [, units = '', cents = ''] = decimalForm.exec(plain) ?? []
  if (units === '' && cents === '') return null
  const centimes = Number(units) * 100 + Number(cents.padEnd(2, '0'))
  return Number.isSafeInteger(centimes) ? centimes : null
}
