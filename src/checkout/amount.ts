import { ratesAt } from '../businesses/business.ts'
import type { Deps } from '../platform/deps.ts'
import { type Commission, commissionOf } from '../wallets/commission.ts'
import { ltrText } from './layout.ts'
import type { Offer } from './offer.ts'
import { readAmount } from './read-amount.ts'

/** Centimes, or the error message if this amount can't be paid. */
export type Amount = { amount: number } | { fault: string }

/** `typed` is what the customer entered. Only an OPEN intent uses it. */
export function amountOf({ config }: Pick<Deps, 'config'>, { intent, locale }: Offer, typed: string): Amount {
  if (intent.amountType !== 'OPEN' && intent.amount !== null) return { amount: intent.amount }
  const { faults } = locale.words
  const amount = readAmount(typed)
  if (amount === null) return { fault: faults.amount }
  if (amount === 'unclear') return { fault: faults.amountUnclear }
  if (amount >= 1 && amount <= config.maxAmount) return { amount }
  const shown = (centimes: number) => ltrText(locale, locale.money(centimes))
  return { fault: faults.amountRange(shown(1), shown(config.maxAmount)) }
}

/** Commission on `amount` centimes at the rates of this moment. */
export const commissionNow = (
  { config }: Pick<Deps, 'config'>,
  { intent, now }: Offer,
  amount: number,
): Commission => commissionOf(amount, ratesAt(intent.commission, config.commissionRates, now))
