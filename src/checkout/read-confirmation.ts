import { declines } from '../../schemas/payment-reasons.ts'
import type { Deps } from '../deps.ts'
import type { Confirmation } from '../intents/payments/pay.ts'
import type { PaymentAttempt } from '../intents/payments/payment.ts'
import { readPhone, readPin } from '../wallets/phone.ts'
import { amountOf, commissionNow } from './amount.ts'
import { type FormMessages, noMessages } from './field.ts'
import { amountForm, type PayForm, payForm } from './forms.ts'
import type { Offer, Sheet } from './offer.ts'
import { newFormToken, type SignedForm } from './proofs.ts'
import type { Words } from './words/words.ts'

/** A submitted form. `signed` is what the form's token contains, or null if the form can no longer be used to pay. */
export interface SubmittedForm {
  signed: SignedForm | null
  phone: string
  pin: string
  amount: string
}

/**
 * Validates a submitted form. Returns the confirmation if the form is valid. Otherwise, returns a page that shows the
 * form again with its errors. If the amount or the fee is not the one that the form showed, for example because an
 * operator has changed the rates, the customer must confirm the new total first.
 */
export function readConfirmation(
  deps: Pick<Deps, 'config' | 'secrets' | 'now'>,
  offer: Offer,
  sent: SubmittedForm,
): { confirmation: Confirmation } | { sheet: Sheet } {
  const checked = amountOf(deps, offer, sent.amount)
  if ('fault' in checked) return { sheet: amountForm(offer, sent.amount, checked.fault) }
  const { amount } = checked
  const { faults, notices } = offer.locale.words
  const { signed } = sent
  const repeat = (messages: FormMessages) => ({
    sheet: newPayForm(deps, offer, { amount, phone: sent.phone, messages }),
  })
  if (signed === null) return repeat({ notice: notices.formTooOld, faults: {} })
  const commission = commissionNow(deps, offer, amount)
  const isAsShown = signed.amount === amount && signed.fee === commission.payerTtc
  if (!isAsShown) return repeat({ notice: notices.totalChanged, faults: {} })
  const { paymentId } = signed
  const [phone, pin] = [readPhone(sent.phone), readPin(sent.pin)]
  if (phone !== null && pin !== null) return { confirmation: { paymentId, phone, pin, amount, commission } }
  const wrong = { ...(phone === null && { phone: faults.phone }), ...(pin === null && { pin: faults.pin }) }
  return repeat({ notice: null, faults: wrong })
}

/**
 * Returns a payment form with the amount and the fee at the time of the request. A form that is shown again contains
 * the values that the customer typed, except the PIN. Each form makes a payment of its own.
 */
export function newPayForm(
  deps: Pick<Deps, 'config' | 'secrets' | 'now'>,
  offer: Offer,
  { amount, phone, messages }: Omit<PayForm, 'token' | 'fee'>,
): Sheet {
  const { payerTtc: fee } = commissionNow(deps, offer, amount)
  const token = newFormToken(deps, offer.intent, { amount, fee })
  return payForm(offer, { token, amount, fee, phone, messages })
}

/** The reasons that have a notice of their own. */
const noticeReasons = ['wallet_locked', ...declines] as const

/** Returns the messages to show after a payment attempt that ended without a charge and left the intent PENDING. */
export function messagesOf(
  { notices, faults }: Words,
  { outcome, reason }: Pick<PaymentAttempt, 'outcome' | 'reason'>,
): FormMessages {
  if (reason === 'wrong_pin') return { notice: null, faults: { pin: faults.pinDoesNotFit } }
  const known = noticeReasons.find((each) => each === reason)
  if (known !== undefined) return { notice: notices[known], faults: {} }
  return outcome === 'not-executed' ? { notice: notices.notExecuted, faults: {} } : noMessages
}
