import type { Response } from 'express'
import { formatCentimes } from '../../schemas/currency.ts'
import { declineReasons } from '../../schemas/payment-reasons.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { type FormMessages, hasFormMessages } from '../http/pages/forms.ts'
import { pageDeadline } from '../http/pages/prepare-page.ts'
import { addHeader, sendRedirect } from '../http/pages/send-page.ts'
import { readCausingRequest } from '../http/server/log-request.ts'
import { readPin, readWalletPhone } from '../input/phone.ts'
import { type ConfirmedPayment, payIntent } from '../intents/payments/pay.ts'
import type { PaymentAttempt } from '../intents/records.ts'
import type { Deps } from '../platform/deps.ts'
import { type PayForm, renderAmountForm, renderPayForm } from './forms.ts'
import { sendTooManyPage } from './layout.ts'
import type { PinLimit } from './limits.ts'
import {
  type CheckoutPageContent,
  checkoutStateOf,
  chosenAmountOf,
  currentCommission,
  currentPageUrl,
  type Offer,
  type OfferHandler,
  sendOfferPage,
  usableWalletFor,
} from './offer.ts'
import { renderStatePanel, renderUnpayablePanel } from './panels.ts'
import { newFormToken, readFormToken, type SignedForm } from './proofs.ts'
import type { CheckoutTexts } from './words/en.ts'

export const showPaymentPage: OfferHandler = (deps, offer, req, res) => {
  const { intent, state } = offer
  if (state !== 'pending') return sendOfferPage(res, 200, offer, renderStatePanel(offer, state))
  if (refuseUnpayable(deps, offer, res)) return
  const ownAttempt = intent.attempts.find(({ id }) => id === offer.sent)
  const amount =
    typed(req.query.amount) ?? (ownAttempt === undefined ? null : formatCentimes(ownAttempt.amount))
  if (intent.amountType === 'OPEN' && amount === null)
    return sendOfferPage(res, 200, offer, renderAmountForm(offer, suggested(offer), null))
  const checked = chosenAmountOf(deps, offer, amount ?? '')
  if ('fault' in checked)
    return sendOfferPage(res, 422, offer, renderAmountForm(offer, amount ?? '', checked.fault))
  const messages = ownAttempt === undefined ? {} : messagesOf(offer.locale.words, ownAttempt)
  sendOfferPage(res, 200, offer, newPayForm(deps, offer, { amount: checked.amount, phone: '', messages }))
}

/** If the intent can't be paid now, sends a 503 and returns true. */
export function refuseUnpayable(deps: Pick<Deps, 'wallets'>, offer: Offer, res: Response): boolean {
  const { intent } = offer
  if (usableWalletFor(deps, intent) !== null) return false
  addHeader(res, 'Retry-After', 60)
  // With this code, a suspended business doesn't trigger an alert.
  if (intent.isSuspended) res.locals.code = 'FEATURE_DISABLED'
  sendOfferPage(res, 503, offer, renderUnpayablePanel(offer))
  return true
}

/** Null if the parameter is missing, and empty if it's repeated. */
const typed = (value: unknown) => (value === undefined ? null : typeof value === 'string' ? value : '')

const suggested = ({ intent: { amount }, locale }: Offer) => (amount === null ? '' : locale.amount(amount))

/**
 * The form contains the payment's id, so submitting it twice pays only
 * once. After a failure, the customer gets a new form with a new id.
 */
export const confirmPayment =
  (withinPinLimit: PinLimit): OfferHandler =>
  async (deps, offer, req, res) => {
    const { form, ...fields } = readFormFields(req, 'form', 'phone', 'pin', 'amount')
    const signed = readFormToken(deps, offer.intent, form)
    const paymentId = signed?.paymentId ?? null
    const showPayment = () => sendRedirect(res, currentPageUrl({ ...offer, sent: paymentId }))
    const { intent } = offer
    const wallet = usableWalletFor(deps, intent)
    if (offer.state !== 'pending' || wallet === null) return showPayment()
    // A used form doesn't call the wallet, so it isn't counted.
    const isUsed = paymentId !== null && intent.marks.some(({ key }) => key === paymentId)
    const read = readConfirmation(deps, offer, { ...fields, signed: isUsed ? null : signed })
    if ('sheet' in read) return sendOfferPage(res, 422, offer, read.sheet)
    const { confirmation } = read
    const { run: withinDeadline } = pageDeadline(res)
    const clientIp = req.ip ?? ''
    const paid = await withinPinLimit(clientIp, intent, withinDeadline, () =>
      payIntent(deps, wallet, intent, confirmation, {
        cause: readCausingRequest(res),
        clientIp,
        withinDeadline,
      }),
    )
    if (paid.state === 'closed') return sendTooManyPage(req, res, paid.closedMs)
    const isOpen = paid.state === 'settled' && checkoutStateOf(paid.intent, deps.now()) === 'pending'
    const messages = isOpen ? messagesOf(offer.locale.words, { reason: null, ...paid.outcome }) : {}
    if (!hasFormMessages(messages)) return showPayment()
    const { amount } = confirmation
    sendOfferPage(res, 422, offer, newPayForm(deps, offer, { amount, phone: fields.phone, messages }))
  }

/**
 * If the total has changed since the form was shown, the customer must
 * confirm the new one. `signed` is null if the form can't be used any more.
 */
function readConfirmation(
  deps: Pick<Deps, 'config' | 'secrets' | 'now'>,
  offer: Offer,
  sent: { signed: SignedForm | null; phone: string; pin: string; amount: string },
): { confirmation: ConfirmedPayment } | { sheet: CheckoutPageContent } {
  const checked = chosenAmountOf(deps, offer, sent.amount)
  if ('fault' in checked) return { sheet: renderAmountForm(offer, sent.amount, checked.fault) }
  const { amount } = checked
  const { faults, notices } = offer.locale.words
  const { signed } = sent
  const repeat = (messages: FormMessages) => ({
    sheet: newPayForm(deps, offer, { amount, phone: sent.phone, messages }),
  })
  if (signed === null) return repeat({ notice: notices.formTooOld })
  const commission = currentCommission(deps, offer, amount)
  const isAsShown = signed.amount === amount && signed.fee === commission.payerTtc
  if (!isAsShown) return repeat({ notice: notices.totalChanged })
  const { paymentId } = signed
  const [phone, pin] = [readWalletPhone(sent.phone), readPin(sent.pin)]
  if (phone !== null && pin !== null) return { confirmation: { paymentId, phone, pin, amount, commission } }
  const wrong = { ...(phone === null && { phone: faults.phone }), ...(pin === null && { pin: faults.pin }) }
  return repeat({ faults: wrong })
}

/** Keeps what the customer typed, except the PIN. */
function newPayForm(
  deps: Pick<Deps, 'config' | 'secrets' | 'now'>,
  offer: Offer,
  { amount, phone, messages }: Omit<PayForm, 'token' | 'fee'>,
) {
  const { payerTtc: fee } = currentCommission(deps, offer, amount)
  const token = newFormToken(deps, offer.intent, { amount, fee })
  return renderPayForm(offer, { token, amount, fee, phone, messages })
}

const noticeReasons = ['wallet_locked', ...declineReasons] as const

function messagesOf(
  { notices, faults }: CheckoutTexts,
  { outcome, reason }: Pick<PaymentAttempt, 'outcome' | 'reason'>,
): FormMessages {
  if (reason === 'wrong_pin') return { faults: { pin: faults.pinDoesNotFit } }
  const known = noticeReasons.find((each) => each === reason)
  if (known !== undefined) return { notice: notices[known] }
  return outcome === 'not-executed' ? { notice: notices.notExecuted } : {}
}
