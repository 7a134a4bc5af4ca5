import type { Price } from '../../checkout/layout.ts'
import type { Locale } from '../../checkout/locale.ts'

type Language = Pick<Locale, 'code' | 'money'>

/**
 * Returns the total that a payment takes from the wallet. If there is a fee, the parts of the total follow, because the
 * merchant knows only the amount: `505.00 MRU (500.00 MRU and a fee of 5.00 MRU)`.
 */
export const chargedInWords = (language: Language, price: Price): string =>
  totalInWords(language, price, (fee) => (language.code === 'fr' ? `${fee} de frais` : `a fee of ${fee}`))

/**
 * Returns the total that a refund gives back to the wallet. If the refund gives back a part of the fee, the parts of
 * the total follow: `202.00 MRU (200.00 MRU and 2.00 MRU of the fee)`.
 */
export const givenBackInWords = (language: Language, price: Price): string =>
  totalInWords(language, price, (fee) => (language.code === 'fr' ? `${fee} des frais` : `${fee} of the fee`))

function totalInWords({ code, money }: Language, { amount, fee }: Price, feeInWords: (fee: string) => string): string {
  const total = money(amount + fee)
  if (fee === 0) return total
  return `${total} (${money(amount)} ${code === 'fr' ? 'et' : 'and'} ${feeInWords(money(fee))})`
}
