import { html } from 'ghtml'
import { addAuditLineOnce } from '../audit/audited.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { inputField, readAmountField, renderHiddenInput } from '../http/pages/forms.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import * as text from '../http/pages/text.ts'
import type { FormOutcome, FormPage } from '../people-pages/form.ts'
import { type Visit, writeShown } from '../people-pages/visit.ts'
import type { Refusal } from '../platform/errors.ts'
import { moneyLocaleOf, paymentPath } from './money-locale.ts'
import { type Payment, type Refund, readPayment, refundableOf } from './payments-view.ts'
import { runOwnAct } from './settings.ts'

const pathOf = (visit: Visit, { referenceNumber }: Payment) => paymentPath(visit, referenceNumber)

const typedOf = ({ req }: Visit) => readFormFields(req, 'refundable', 'amount', 'reason')

/** `refundable` is what the form showed: the API refuses if it has changed since. */
export const refundPage: FormPage<Payment> = {
  right: 'refund-payments',
  path: '/payments/:id/refund',
  // The wallet may take 20 s.
  isSlow: true,
  back: pathOf,
  find: readPayment,
  show(visit, intent, faults, isUnknown) {
    const locale = moneyLocaleOf(visit.res)
    const { refund, facts } = locale.words.payments
    const [paid, left] = [intent.payment?.amountPaid ?? 0, refundableOf(intent)]
    const rows = text.renderFactList([
      [facts.label, text.isolateTextOrNull(intent.label)],
      [refund.paid, text.renderMoney(locale, paid)],
      [refund.refunded, left === paid ? null : text.renderMoney(locale, paid - left)],
      [refund.left, text.renderMoney(locale, left)],
    ])
    const title = refund.title(text.isolateLtrText(locale, intent.referenceNumber))
    if (left === 0 && !isUnknown)
      return { title, about: html`!${rows}<p class="notice">${refund.nothing}</p>` }
    const isNew = isSafeMethod(visit.req)
    const typed = typedOf(visit)
    const keep = isUnknown ? 'readonly' : ''
    const amount = inputField('amount', {
      label: locale.words.typedAmount.label,
      hint: refund.amountHint,
      value: isNew ? locale.amount(left) : typed.amount,
      fault: faults.amount,
      attributes: `dir="ltr" inputmode="decimal" autocomplete="off" maxlength="40" required ${keep}`,
    })
    const reason = inputField('reason', {
      label: refund.reason,
      hint: refund.reasonHint,
      value: typed.reason,
      fault: faults.reason,
      attributes: `autocomplete="off" maxlength="200" required ${keep}`,
    })
    const refundable = renderHiddenInput('refundable', isUnknown ? typed.refundable : String(left))
    const button = isUnknown ? refund.again : refund.button
    return {
      title,
      about: rows,
      fields: refundable + amount + reason,
      button,
      busy: refund.busy,
      isDanger: true,
    }
  },
  async act(visit, intent, keyOf) {
    const locale = moneyLocaleOf(visit.res)
    const { refund: words } = locale.words.payments
    const { refundable, ...typed } = typedOf(visit)
    const reason = typed.reason.trim()
    if (!/^[1-9]\d{0,14}$/.test(refundable)) return { notice: words.changed }
    const expectedRefundable = Number(refundable)
    const read = readAmountField(locale, typed.amount, expectedRefundable)
    const missing = reason === '' ? { reason: words.reasonMissing } : {}
    if ('fault' in read) return { faults: { amount: read.fault, ...missing } }
    if (reason === '') return { faults: missing }
    const { amount } = read
    const { referenceNumber } = intent
    // Going back to enter another amount makes another refund, which `refundable` stops.
    const key = keyOf(referenceNumber, amount, reason, refundable)
    const input = { params: { referenceNumber }, body: { amount, reason, expectedRefundable }, key }
    // Comes first, so that no refund lacks its line.
    const about = { subject: referenceNumber, businessId: visit.caller.businessId, after: { amount, reason } }
    const noted = await runOwnAct(
      visit,
      (by) => addAuditLineOnce(visit.deps, by, key, { act: 'refund.requested', ...about }),
      (isNew) => isNew,
    )
    if ('notice' in noted) return noted
    const { refund } = await writeShown<{ refund: Refund }>(visit, 'refundIntent', input)
    return { to: `${pathOf(visit, intent)}?refund=${refund.id}` }
  },
  messagesOf,
}

/** If the outcome is unknown, the same form tells it when it's submitted again. */
function messagesOf({ res }: Visit, { code, extras }: Refusal): FormOutcome | null {
  const { refund } = moneyLocaleOf(res).words.payments
  const isFinal = (extras.details as { retryable?: boolean } | undefined)?.retryable === false
  const isUnknown = { title: refund.unknownTitle, notice: refund.unknown, isUnknown: true } as const
  const outcomes: Partial<Record<typeof code, FormOutcome>> = {
    SERVICE_UNAVAILABLE: isUnknown,
    IDEMPOTENCY_REQUEST_IN_PROGRESS: isUnknown,
    REFUND_FAILED: { notice: isFinal ? refund.never : refund.failed },
    REFUND_AMOUNT_MISMATCH: { notice: refund.changed },
    AMOUNT_OUT_OF_RANGE: { notice: refund.changed },
    INTENT_REFUND_INVALID_STATUS: { notice: refund.refused },
    VALIDATION_ERROR: { faults: { reason: refund.reasonLong } },
  }
  const { [code]: outcome } = outcomes
  return outcome ? { title: refund.notDone, ...outcome } : null
}
