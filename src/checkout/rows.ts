import type { OfferedIntent } from '../intents/batchers.ts'
import { ltr, merchantTextUnlessBlank, type Row } from './layout.ts'
import type { Locale } from './locale.ts'

/** Returns an amount of money as HTML. */
export const moneyHtml = ({ money }: Locale, centimes: number): string => ltr(money(centimes))

/** The amount of a payment and the payer's fee, which is added to the amount, in centimes. */
export interface Price {
  amount: number
  fee: number
}

/** Returns the rows with the merchant's name and the payment's label. */
export const sellerRows = (
  { words: { facts } }: Locale,
  { merchant, label }: Pick<OfferedIntent, 'merchant' | 'label'>,
): Row[] => [
  [facts.merchant, merchantTextUnlessBlank(merchant)],
  [facts.label, merchantTextUnlessBlank(label)],
]

/** Returns the rows with the amount, the fee and the total. If there is no fee, only the amount has a row. */
export function priceRows(locale: Locale, { amount, fee }: Price): Row[] {
  const { facts } = locale.words
  const amountRow: Row = [facts.amount, moneyHtml(locale, amount)]
  if (fee === 0) return [amountRow]
  return [amountRow, [facts.fee, moneyHtml(locale, fee)], [facts.total, moneyHtml(locale, amount + fee)]]
}
