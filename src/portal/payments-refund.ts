import type { Router } from 'express'
import { html } from 'ghtml'
import { formatCentimes } from '../../schemas/currency.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { writeFor } from '../http/operations/run-for.ts'
import {
  type FormMessages,
  inputField,
  readAmountField,
  renderHiddenInput,
  titleOfForm,
} from '../http/pages/forms.ts'
import { isolateTextOrNull, renderFactList, renderMoney } from '../http/pages/text.ts'
import { errorSummaryOf, renderPostForm } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { formKey, type Visit } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { moneyLocaleOf, paymentPath } from './money-locale.ts'
import { readPayment } from './payments-story.ts'
import { type Payment, type Refund, refundableOf } from './payments-view.ts'

/** The wallet may take 20 s. */
const slow = { isSlow: true }

export function addRefundPage(router: Router): void {
  router.get('/payments/:id/refund', serveVisit('refund-payments', showRefundForm))
  router.post('/payments/:id/refund', serveVisit('refund-payments', refundPayment, slow))
}

const formPath = (visit: Visit): string => `${paymentPath(visit, String(visit.req.params['id']))}/refund`

interface Typed {
  amount: string
  reason: string
}

async function showRefundForm(visit: Visit): Promise<VisitResult> {
  return renderRefundForm(visit, null, {}, 200)
}

async function renderRefundForm(
  visit: Visit,
  typed: Typed | null,
  messages: FormMessages,
  status: number,
): Promise<VisitResult> {
  const intent = await readPayment(visit)
  if (intent === null) return null
  const { res } = visit
  const locale = moneyLocaleOf(res)
  const { refund } = locale.words.payments
  const title = refund.title(intent.referenceNumber)
  const left = refundableOf(intent)
  const body = html`!${errorSummaryOf(res, messages, refund.notDone)}
<h1>!${refund.title(html`<bdi dir="ltr" class="id">${intent.referenceNumber}</bdi>`)}</h1>
!${renderFactList(factsOf(visit, intent))}
!${left === 0 ? html`<p class="notice">${refund.nothing}</p>` : renderForm(visit, left, typed, messages)}
<p><a href="${paymentPath(visit, intent.referenceNumber)}">${refund.back}</a></p>`
  const current = `${visit.base}/payments`
  return { status, title: titleOfForm(locale, title, messages), body, current, isNarrow: true }
}

function factsOf({ res }: Visit, intent: Payment) {
  const locale = moneyLocaleOf(res)
  const { refund, facts } = locale.words.payments
  const paid = intent.payment?.amountPaid ?? 0
  const left = refundableOf(intent)
  return [
    [facts.label, isolateTextOrNull(intent.label)],
    [refund.paid, renderMoney(locale, paid)],
    [refund.refunded, left === paid ? null : renderMoney(locale, paid - left)],
    [refund.left, renderMoney(locale, left)],
  ] as const
}

function renderForm(visit: Visit, left: number, typed: Typed | null, { faults = {} }: FormMessages) {
  const { words } = moneyLocaleOf(visit.res)
  const { refund } = words.payments
  const amount = inputField('amount', {
    label: words.typedAmount.label,
    hint: refund.amountHint,
    value: typed?.amount ?? formatCentimes(left),
    fault: faults['amount'],
    attributes: 'dir="ltr" inputmode="decimal" autocomplete="off" maxlength="40" required',
  })
  const reason = inputField('reason', {
    label: refund.reason,
    hint: refund.reasonHint,
    value: typed?.reason,
    fault: faults['reason'],
    attributes: 'autocomplete="off" maxlength="200" required',
  })
  const hidden = renderHiddenInput('form', newId()) + renderHiddenInput('refundable', String(left))
  const button = html`<button class="danger">${refund.button}</button>`
  return renderPostForm(visit.member.person, formPath(visit), hidden + amount + reason, button, refund.busy)
}

/** `refundable` is what the form showed: the API refuses if it has changed since. */
async function refundPayment(visit: Visit): Promise<VisitResult> {
  const { deps, req, res, caller } = visit
  const locale = moneyLocaleOf(res)
  const { refund: words } = locale.words.payments
  const { form, refundable, ...typed } = readFormFields(req, 'form', 'refundable', 'amount', 'reason')
  const reason = typed.reason.trim()
  const expectedRefundable = Number(refundable)
  if (!/^[1-9]\d{0,14}$/.test(refundable))
    return renderRefundForm(visit, typed, { notice: words.changed }, 400)
  const read = readAmountField(locale, typed.amount, expectedRefundable)
  const faults = {
    ...('fault' in read && { amount: read.fault }),
    ...(reason === '' && { reason: words.reasonMissing }),
  }
  if ('fault' in read || reason === '') return renderRefundForm(visit, typed, { faults }, 400)
  const { amount } = read
  const referenceNumber = String(req.params['id'])
  // Back and another amount makes another refund, which the changed `refundable` stops.
  const key = formKey(visit, form, 'refund', referenceNumber, amount, reason, refundable)
  const body = { amount, reason, expectedRefundable }
  try {
    const write = { params: { referenceNumber }, body, key }
    const { data } = await writeFor<{ refund: Refund }>(deps, res, caller, 'refundIntent', write)
    return { to: `${paymentPath(visit, referenceNumber)}?refund=${data.refund.id}` }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (unknownCodes.includes(error.code)) return renderUnknown(visit, { form, refundable, ...typed }, amount)
    const { code, statusCode, extras } = error
    if (code === 'VALIDATION_ERROR' && extras.param === 'reason')
      return renderRefundForm(visit, typed, { faults: { reason: words.reasonLong } }, 400)
    const isFinal = (extras.details as { retryable?: boolean } | undefined)?.retryable === false
    const notices: Record<string, string> = {
      REFUND_FAILED: isFinal ? words.never : words.failed,
      REFUND_AMOUNT_MISMATCH: words.changed,
      AMOUNT_OUT_OF_RANGE: words.changed,
      INTENT_REFUND_INVALID_STATUS: words.refused,
      INTENT_NOT_FOUND: words.refused,
      SANDBOX_MISMATCH: words.refused,
    }
    const notice = notices[code]
    if (notice === undefined) throw error
    return renderRefundForm(visit, typed, { notice }, statusCode)
  }
}

const unknownCodes = ['SERVICE_UNAVAILABLE', 'IDEMPOTENCY_REQUEST_IN_PROGRESS']

/** Sends the same form again, which returns the outcome of the first one. */
function renderUnknown(visit: Visit, fields: Record<string, string>, amount: number): VisitResult {
  const locale = moneyLocaleOf(visit.res)
  const { refund } = locale.words.payments
  const hidden = Object.entries(fields).map(([name, value]) => renderHiddenInput(name, value))
  const button = html`<button>${refund.again}</button>`
  const body = html`<h1>${refund.unknownTitle}</h1>
<p class="notice wait" role="status">!${refund.unknown(renderMoney(locale, amount))}</p>
!${renderPostForm(visit.member.person, formPath(visit), hidden.join(''), button, refund.busy)}
<p><a href="${paymentPath(visit, String(visit.req.params['id']))}">${refund.back}</a></p>`
  return { status: 503, title: refund.unknownTitle, body, isNarrow: true }
}
