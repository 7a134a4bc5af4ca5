import { ratesAt } from '../businesses/commission-rates.ts'
import type { Deps } from '../deps.ts'
import type { Confirmation } from '../intents/payments/pay.ts'
import { commissionOf } from '../wallets/commission.ts'
import { readPhone, readPin } from '../wallets/phone.ts'
import { amountOf } from './amount.ts'
import type { FormMessages } from './field.ts'
import { newFormToken } from './form-token.ts'
import { amountForm, payForm } from './forms.ts'
import type { Offer, Sheet } from './offer.ts'

/**
 * A submitted form. `paymentId` is the payment id in the form's token, or null if the form can no longer be used to
 * pay.
 */
export interface SubmittedForm {
  paymentId: string | null
  phone: string
  pin: string
  amount: string
}

/**
 * Validates a submitted form. Returns the confirmation if the form is valid. Otherwise, returns a page that shows the
 * form again with its errors.
 */
export function readConfirmation(
  deps: Pick<Deps, 'config' | 'secrets' | 'now'>,
  offer: Offer,
  sent: SubmittedForm,
): { confirmation: Confirmation } | { sheet: Sheet } {
  const checked = amountOf(deps, offer, sent.amount)
  if ('fault' in checked) return { sheet: amountForm(offer, sent.amount, checked.fault) }
  const { amount } = checked
  const repeat = (messages: FormMessages) => ({
    sheet: repeatForm(deps, offer, { amount, phone: sent.phone, messages }),
  })
  const { faults, notices } = offer.locale.words
  const { paymentId } = sent
  if (paymentId === null) return repeat({ notice: notices.formTooOld, faults: {} })
  const [phone, pin] = [readPhone(sent.phone), readPin(sent.pin)]
  const rates = ratesAt(offer.intent.commission, deps.config.commissionRates, offer.now)
  const commission = commissionOf(amount, rates)
  if (phone !== null && pin !== null) return { confirmation: { paymentId, phone, pin, amount, commission } }
  const wrong = { ...(phone === null && { phone: faults.phone }), ...(pin === null && { pin: faults.pin }) }
  return repeat({ notice: null, faults: wrong })
}

/**
 * Returns a new form that contains the values that the customer typed, except the PIN. Submitting the new form makes a
 * new payment.
 */
export const repeatForm = (
  deps: Pick<Deps, 'secrets' | 'now'>,
  offer: Offer,
  { amount, phone, messages }: { amount: number; phone: string; messages: FormMessages },
): Sheet => payForm(offer, { token: newFormToken(deps, offer.intent), amount, phone, messages })
