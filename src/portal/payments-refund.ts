import type { Router } from 'express'
import { html } from 'ghtml'
import { formatCentimes } from '../../schemas/currency.ts'
import { readFormFields } from '../http/body/read-form.ts'
import {
  type FormMessages,
  inputField,
  readAmountField,
  renderHiddenInput,
  titleOfForm,
} from '../http/pages/forms.ts'
import { isolateTextOrNull, renderFactList, renderMoney } from '../http/pages/text.ts'
import { errorSummaryOf, type PersonPage, renderPostForm } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { formKey, type Visit, writeShown } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { type MoneyLocale, moneyLocaleOf, paramOf, paymentPath } from './money-locale.ts'
import { type Refund, readPayment, refundableOf } from './payments-view.ts'

export function addRefundPage(router: Router): void {
  const path = '/payments/:id/refund'
  router.get(
    path,
    serveVisit('refund-payments', (visit) => renderForm(visit, null, {}, 200)),
  )
  // The wallet may take 20 s.
  router.post(path, serveVisit('refund-payments', refundPayment, { isSlow: true }))
}

type Typed = Record<'amount' | 'reason', string>

async function renderForm(visit: Visit, typed: Typed | null, messages: FormMessages, status: number) {
  const intent = await readPayment(visit)
  const locale = moneyLocaleOf(visit.res)
  const { refund, facts } = locale.words.payments
  const [paid, left] = [intent.payment?.amountPaid ?? 0, refundableOf(intent)]
  const rows = renderFactList([
    [facts.label, isolateTextOrNull(intent.label)],
    [refund.paid, renderMoney(locale, paid)],
    [refund.refunded, left === paid ? null : renderMoney(locale, paid - left)],
    [refund.left, renderMoney(locale, left)],
  ])
  const fields = left === 0 ? '' : renderFields(locale, left, typed, messages)
  const form =
    left === 0 ? html`<p class="notice">${refund.nothing}</p>` : postForm(visit, fields, refund.button)
  const title = refund.title(intent.referenceNumber)
  const body = html`!${errorSummaryOf(visit.res, messages, refund.notDone)}
<h1>!${refund.title(html`<bdi dir="ltr">${intent.referenceNumber}</bdi>`)}</h1>!${rows}!${form}`
  return asPage(visit, { status, title: titleOfForm(locale, title, messages), body })
}

function renderFields(
  { words }: MoneyLocale,
  left: number,
  typed: Typed | null,
  { faults = {} }: FormMessages,
) {
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
  return renderHiddenInput('form', newId()) + renderHiddenInput('refundable', String(left)) + amount + reason
}

function postForm(visit: Visit, fields: string, text: string) {
  const { busy } = moneyLocaleOf(visit.res).words.payments.refund
  const button = html`<button class="danger">${text}</button>`
  return renderPostForm(
    visit.member.person,
    `${paymentPath(visit, paramOf(visit))}/refund`,
    fields,
    button,
    busy,
  )
}

function asPage(visit: Visit, page: PersonPage): PersonPage {
  const { back } = moneyLocaleOf(visit.res).words.payments.refund
  const link = html`<p><a href="${paymentPath(visit, paramOf(visit))}">${back}</a></p>`
  return { ...page, body: page.body + link, current: `${visit.base}/payments`, isNarrow: true }
}

/** `refundable` is what the form showed: the API refuses if it has changed since. */
async function refundPayment(visit: Visit): Promise<VisitResult> {
  const locale = moneyLocaleOf(visit.res)
  const { refund: words } = locale.words.payments
  const { form, refundable, ...typed } = readFormFields(visit.req, 'form', 'refundable', 'amount', 'reason')
  const reason = typed.reason.trim()
  const again = (messages: FormMessages, status = 400) => renderForm(visit, typed, messages, status)
  if (!/^[1-9]\d{0,14}$/.test(refundable)) return again({ notice: words.changed })
  const expectedRefundable = Number(refundable)
  const read = readAmountField(locale, typed.amount, expectedRefundable)
  const missing = reason === '' ? { reason: words.reasonMissing } : {}
  if ('fault' in read) return again({ faults: { amount: read.fault, ...missing } })
  if (reason === '') return again({ faults: missing })
  const { amount } = read
  const referenceNumber = paramOf(visit)
  // Going back to enter another amount makes another refund, which `refundable` stops.
  const key = formKey(visit, form, 'refund', referenceNumber, amount, reason, refundable)
  const input = { params: { referenceNumber }, body: { amount, reason, expectedRefundable }, key }
  try {
    const { refund } = await writeShown<{ refund: Refund }>(visit, 'refundIntent', input)
    return { to: `${paymentPath(visit, referenceNumber)}?refund=${refund.id}` }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (unknownCodes.includes(error.code)) return renderUnknown(visit, { form, refundable, ...typed }, amount)
    const messages = messagesOf(locale, error)
    if (messages === null) throw error
    return again(messages, error.statusCode)
  }
}

function messagesOf({ words }: MoneyLocale, { code, extras }: Refusal): FormMessages | null {
  const { refund } = words.payments
  const isFinal = (extras.details as { retryable?: boolean } | undefined)?.retryable === false
  const notices: Partial<Record<typeof code, string>> = {
    REFUND_FAILED: isFinal ? refund.never : refund.failed,
    REFUND_AMOUNT_MISMATCH: refund.changed,
    AMOUNT_OUT_OF_RANGE: refund.changed,
    INTENT_REFUND_INVALID_STATUS: refund.refused,
  }
  if (code === 'VALIDATION_ERROR') return { faults: { reason: refund.reasonLong } }
  const { [code]: notice } = notices
  return notice === undefined ? null : { notice }
}

const unknownCodes = ['SERVICE_UNAVAILABLE', 'IDEMPOTENCY_REQUEST_IN_PROGRESS']

/** Sends the same form again, which returns the outcome of the first one. */
function renderUnknown(visit: Visit, fields: Record<string, string>, amount: number): PersonPage {
  const locale = moneyLocaleOf(visit.res)
  const { refund } = locale.words.payments
  const hidden = Object.entries(fields).map(([name, value]) => renderHiddenInput(name, value))
  const body = html`<h1>${refund.unknownTitle}</h1>
<p class="notice wait" role="status">!${refund.unknown(renderMoney(locale, amount))}</p>
!${postForm(visit, hidden.join(''), refund.again)}`
  return asPage(visit, { status: 503, title: refund.unknownTitle, body })
}
