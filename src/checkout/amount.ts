import { centimesPerUnit, currencyCode, currencyDecimals } from '../../schemas/currency.ts'
import { ratesAt } from '../businesses/business.ts'
import { normaliseDigits } from '../input/digits.ts'
import type { Deps } from '../platform/deps.ts'
import { type Commission, commissionOf } from '../wallets/commission.ts'
import { isolateLtrText } from './layout.ts'
import type { Offer } from './offer.ts'

/** Either an amount in centimes or an error message. */
type AmountResult = { amount: number } | { fault: string }

/** Reads the typed amount only if the intent is OPEN. Otherwise, the intent has a fixed amount. */
export function chosenAmountOf(
  { config }: Pick<Deps, 'config'>,
  { intent, locale }: Offer,
  typed: string,
): AmountResult {
  if (intent.amountType !== 'OPEN' && intent.amount !== null) return { amount: intent.amount }
  const { faults } = locale.words
  const amount = parseTypedAmount(typed)
  if (amount === null) return { fault: faults.amount }
  if (amount === 'unclear') return { fault: faults.amountUnclear }
  if (amount >= 1 && amount <= config.maxAmount) return { amount }
  const shown = (centimes: number) => isolateLtrText(locale, locale.money(centimes))
  return { fault: faults.amountRange(shown(1), shown(config.maxAmount)) }
}

export const currentCommission = (
  { config }: Pick<Deps, 'config'>,
  { intent, now }: Offer,
  amount: number,
): Commission => commissionOf(amount, ratesAt(intent.commission, config.commissionRates, now))

const separators = /[\s'’_٬]/gu
/** The last separator starts the decimals if at most two digits follow. Other separators group thousands. */
const decimalForm = new RegExp(String.raw`^(\d*)(?:[.,٫](\d{0,${currencyDecimals}}))?$`)
const groupedForm = new RegExp(
  String.raw`^[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*(?!\1)(?:[.,٫]\d{0,${currencyDecimals}})?$`,
)
const currencyAtEnd = new RegExp(`${currencyCode}$`, 'i')

/**
 * Reads e.g. `500`, `500,5`, `1 500.00`, `1.500,00` or `١٬٥٠٠٫٥٠`. Returns centimes, or null if the text is
 * no amount. `1,500` is `unclear`: it could mean one and a half, or one thousand five hundred.
 */
export function parseTypedAmount(typed: string): number | 'unclear' | null {
  const text = normaliseDigits(typed)
    .replaceAll(separators, '')
    .replaceAll('،', ',')
    .replace(currencyAtEnd, '')
  const isGrouped = groupedForm.test(text)
  // Only a single separator is unclear: `1,500,000` and `1.500,00` can mean just one thing.
  if (isGrouped && text.match(/[.,٫]/g)?.length === 1) return 'unclear'
  const plain = isGrouped ? text.replace(/[.,](?=\d{3})/g, '') : text
  const [, units = '', cents = ''] = decimalForm.exec(plain) ?? []
  if (units === '' && cents === '') return null
  const centimes = Number(units) * centimesPerUnit + Number(cents.padEnd(currencyDecimals, '0'))
  return Number.isSafeInteger(centimes) ? centimes : null
}
