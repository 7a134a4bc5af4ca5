import { asciiDigits } from '../wallets/phone.ts'

/** What people put between the digits of a large number, or a keyboard puts there unseen. */
const unseen = /[\s'’_٬\p{Cf}]/gu
/** The sign before the last one or two digits; every other is between thousands. */
const decimalForm = /^(\d*)(?:[.,٫](\d{0,2}))?$/
const groupedForm = /^[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*(?!\1)(?:[.,٫]\d{0,2})?$/

/**
 * The centimes of an amount as somebody typed it: `500`, `500,5`, `1 500.00`, `1.500,00`, `١٬٥٠٠٫٥٠`. Null for anything else, and
 * for `1,500`, of which nobody can tell whether it is one and a half or a thousand and a half.
 */
export function readAmount(typed: string): number | null {
  const text = asciiDigits(typed.replaceAll(unseen, '').replaceAll('،', ',').replace(/MRU$/i, ''))
  const plain = isGrouped(text) ? text.replace(/[.,](?=\d{3})/g, '') : text
  const [, units = '', cents = ''] = decimalForm.exec(plain) ?? []
  if (units === '' && cents === '') return null
  const centimes = Number(units) * 100 + Number(cents.padEnd(2, '0'))
  return Number.isSafeInteger(centimes) ? centimes : null
}

/** Whether points or commas stand between thousands beyond doubt: there are several of them, or another sign after them. */
const isGrouped = (text: string): boolean => groupedForm.test(text) && (text.match(/[.,٫]/g) ?? []).length > 1
