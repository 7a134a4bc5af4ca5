import type { Deps } from '../deps.ts'
import { formFields } from '../http/body/read-form.ts'
import { causeOf } from '../http/operations/cause.ts'
import { deadlineOf } from '../http/pages/prepare-page.ts'
import { redirectTo } from '../http/pages/send-page.ts'
import { type PaymentResult, payIntent } from '../intents/payments/pay.ts'
import { type FormMessages, hasMessages, noMessages } from './field.ts'
import { addressOfOffer, type Offer, type OfferHandler, sendSheet, walletFor } from './offer.ts'
import type { PinLimit } from './pin-limit.ts'
import { readFormToken } from './proofs.ts'
import { messagesOf, newPayForm, readConfirmation } from './read-confirmation.ts'
import { sendTooMany } from './respond.ts'
import { stateOf } from './state.ts'

/**
 * Handles the POST request with which the customer confirms the payment with their PIN. The form contains the payment's
 * id, so submitting it twice makes only one payment. If the payment fails but the customer can try again, the response
 * is a 422 with a new form, in which the PIN is always empty. Otherwise the response is a 303 redirect to the payment's
 * page. A form whose payment failed cannot be used to pay again, because the browser's back button could restore and
 * resubmit it.
 */
export const confirm =
  (withinPinLimit: PinLimit): OfferHandler =>
  async (deps, offer, req, res) => {
    const { form, ...fields } = formFields(req, 'form', 'phone', 'pin', 'amount')
    const signed = readFormToken(deps, offer.intent, form)
    const paymentId = signed?.paymentId ?? null
    const showPayment = () => redirectTo(res, addressOfOffer({ ...offer, sent: paymentId }))
    const { intent } = offer
    const wallet = walletFor(deps, intent)
    if (offer.state !== 'pending' || wallet === null) return showPayment()
    // A form counts as used as soon as a payment attempt has been made with it. That attempt must have ended without a
    // charge, because the intent is still PENDING. If the form is submitted again, no wallet is called, so the request
    // does not count towards any limit.
    const isUsed = paymentId !== null && intent.marks.some(({ key }) => key === paymentId)
    const read = readConfirmation(deps, offer, { ...fields, signed: isUsed ? null : signed })
    if ('sheet' in read) return sendSheet(res, 422, offer, read.sheet)
    const { confirmation } = read
    const { run: withinDeadline } = deadlineOf(res)
    const clientIp = req.ip ?? ''
    const paid = await withinPinLimit(clientIp, intent, withinDeadline, () =>
      payIntent(deps, wallet, intent, confirmation, { cause: causeOf(res), clientIp, withinDeadline }),
    )
    if (paid.state === 'closed') return sendTooMany(req, res, paid.closedMs)
    const messages = messagesAfter(deps, offer, paid)
    if (!hasMessages(messages)) return showPayment()
    const { amount } = confirmation
    sendSheet(res, 422, offer, newPayForm(deps, offer, { amount, phone: fields.phone, messages }))
  }

/**
 * Returns the messages to show with a new form. Returns no messages if the intent can no longer be paid, because no new
 * form is shown in that case.
 */
function messagesAfter(deps: Pick<Deps, 'now'>, { locale }: Offer, paid: PaymentResult): FormMessages {
  if (paid.state !== 'settled' || stateOf(paid.intent, deps.now()) !== 'pending') return noMessages
  const { outcome } = paid
  return messagesOf(locale.words, {
    outcome: outcome.outcome,
    reason: 'reason' in outcome ? outcome.reason : null,
  })
}
