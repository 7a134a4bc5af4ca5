import { ratesAt } from '../businesses/business.ts'
import type { Deps } from '../platform/deps.ts'
import { type Commission, commissionOf } from '../wallets/commission.ts'
import { ltrText } from './layout.ts'
import type { Offer } from './offer.ts'
import { readAmount } from './read-amount.ts'

/** The amount that a customer pays, in centimes, or the error message if that amount cannot be paid. */
export type Amount = { amount: number } | { fault: string }

/** Returns the amount to pay. For an OPEN intent, this is the amount that the customer `typed`. */
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

/** Returns the commission on a payment of `amount` centimes at the time of the request. */
export const commissionNow = ({ config }: Pick<Deps, 'config'>, { intent, now }: Offer, amount: number): Commission =>
  commissionOf(amount, ratesAt(intent.commission, config.commissionRates, now))
