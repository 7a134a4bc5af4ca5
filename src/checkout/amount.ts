import { centimesPerUnit, currencyCode, currencyDecimals } from '../../schemas/currency.ts'
import { ratesAt } from '../businesses/business.ts'
import { normaliseDigits } from '../input/digits.ts'
import type { Deps } from '../platform/deps.ts'
import { type Commission, commissionOf } from '../wallets/commission.ts'
import { isolateLtrText } from './layout.ts'
import type { Offer } from './offer.ts'

type AmountResult = { amount: number } | { fault: string }

/** Only an OPEN intent lets the customer choose the amount. */
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
