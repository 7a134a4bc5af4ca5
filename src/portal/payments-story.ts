import type { Router } from 'express'
import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import { readFor, writeFor } from '../http/operations/run-for.ts'
import { type FormMessages, hasFormMessages, renderHiddenInput } from '../http/pages/forms.ts'
import { renderTable } from '../http/pages/table.ts'
import { isolateText, isolateTextOrNull, renderFactList, renderLtr, renderMoney } from '../http/pages/text.ts'
import type { Page } from '../lists/pagination.ts'
import { errorSummaryOf, renderPostForm } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { formKey, hasRight, type Visit } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import {
  type MoneyLocale,
  moneyColumn,
  moneyLocaleOf,
  nameIn,
  paymentPath,
  renderMoment,
  textColumn,
} from './money-locale.ts'
import { type Payment, type Refund, refundableOf, renderAmount, renderStatus } from './payments-view.ts'

export function addPaymentStory(router: Router): void {
  router.get('/payments/:id', serveVisit('read-payments', showPayment))
  router.post('/payments/:id/cancel', serveVisit('cancel-payments', cancelPayment))
}

/** Null if the business has no such payment in this environment. */
export async function readPayment({ deps, res, req, caller }: Visit): Promise<Payment | null> {
  const params = { referenceNumber: String(req.params['id']) }
  const read = readFor<Payment>(deps, res, caller, 'getIntent', { params })
  return read.then(
    ({ data }) => data,
    (error: unknown) => {
      const isMissing =
        error instanceof Refusal && ['INTENT_NOT_FOUND', 'SANDBOX_MISMATCH'].includes(error.code)
      if (isMissing) return null
      throw error
    },
  )
}

const showPayment = (visit: Visit): Promise<VisitResult> => renderStory(visit, {}, 200)

async function renderStory(visit: Visit, messages: FormMessages, status: number): Promise<VisitResult> {
  const intent = await readPayment(visit)
  if (intent === null) return null
  const events = await readAbout<Event>(visit, 'listEvents', intent)
  const isOwner = hasRight(visit, 'read-webhooks')
  const deliveries = isOwner ? await readAbout<Delivery>(visit, 'listWebhookDeliveries', intent) : null
  const locale = moneyLocaleOf(visit.res)
  const { payments } = locale.words
  const body = html`!${errorSummaryOf(visit.res, messages, payments.cancel.title)}
!${hasFormMessages(messages) ? '' : renderRefundNotice(visit, locale, intent)}
<h1 class="id" dir="ltr">${intent.referenceNumber}</h1>
<p class="money">!${renderAmount(locale, intent)}</p><p>!${renderStatus(locale, intent)}</p>
!${renderActs(visit, locale, intent)}
<div class="card">!${renderFactList(factsOf(locale, intent, events.items))}</div>
!${renderRefunds(locale, intent.refunds)}
!${renderEvents(locale, events)}
!${deliveries === null || deliveries.items.length === 0 ? '' : renderDeliveries(visit, locale, deliveries.items)}`
  return { status, title: intent.referenceNumber, body, current: `${visit.base}/payments` }
}

const readAbout = async <Item>(
  { deps, res, caller }: Visit,
  operation: 'listEvents' | 'listWebhookDeliveries',
  { referenceNumber }: Payment,
) => {
  const query = { referenceNumber, limit: '100' }
  return (await readFor<Page<Item>>(deps, res, caller, operation, { query })).data
}

/** The redirect after a refund names it. */
function renderRefundNotice({ req }: Visit, locale: MoneyLocale, { refunds }: Payment) {
  const refund = refunds.find(({ id }) => id === req.query['refund'])
  if (refund === undefined) return ''
  const { done, waiting } = locale.words.payments.refunds
  const isDone = refund.status === 'SUCCEEDED'
  return html`<p class="notice !${isDone ? 'good' : 'wait'}" role="status">!${(isDone ? done : waiting)(renderMoney(locale, refund.amount))}</p>`
}

function renderActs(visit: Visit, { words }: MoneyLocale, intent: Payment) {
  const { cancel, refund } = words.payments
  const path = paymentPath(visit, intent.referenceNumber)
  const mayRefund = refundableOf(intent) > 0 && hasRight(visit, 'refund-payments')
  const mayCancel = intent.status === 'PENDING' && hasRight(visit, 'cancel-payments')
  const button = html`<button class="plain">${cancel.button}</button>`
  const form = renderHiddenInput('form', newId())
  return html`!${mayRefund ? html`<p><a class="button" href="${path}/refund">${refund.link}</a></p>` : ''}
!${mayCancel ? renderPostForm(visit.member.person, `${path}/cancel`, form, button, cancel.busy) : ''}`
}

function factsOf(locale: MoneyLocale, intent: Payment, events: readonly Event[]) {
  const { words } = locale
  const { facts, types, methods, reasons } = words.payments
  const { payment, totalAmountRefunded, cancellationReason, failure, metadata, status } = intent
  const fees = payment?.commission ?? null
  const money = (centimes: number | undefined) =>
    centimes === undefined ? null : renderMoney(locale, centimes)
  const phone = events.map(({ body }) => body.data.payer_phone).find((each) => typeof each === 'string')
  const own = Object.entries(metadata).map(
    ([name, value]) => html`<div>!${isolateText(`${name}: ${value}`)}</div>`,
  )
  return [
    [facts.label, isolateTextOrNull(intent.label)],
    [facts.merchantReference, isolateTextOrNull(intent.merchantReference)],
    [facts.created, renderMoment(locale, intent.createdAt)],
    [facts.type, isolateText(nameIn(types, intent.type))],
    [facts.expires, status === 'PENDING' ? renderMoment(locale, intent.expiresAt) : null],
    [facts.code, intent.code === null ? null : renderLtr(intent.code)],
    [
      facts.link,
      status === 'PENDING' ? html`<a dir="ltr" href="${intent.payUrl}">${intent.payUrl}</a>` : null,
    ],
    [facts.paidAt, payment && renderMoment(locale, payment.paidAt)],
    [facts.method, payment && isolateText(nameIn(methods, payment.method))],
    [facts.payer, phone === undefined ? null : renderLtr(phone)],
    [facts.fee, money(fees?.providerTtc)],
    [facts.payerFee, money(fees?.payerTtc)],
    [facts.taxes, money(fees ? fees.tof + fees.tte : undefined)],
    [facts.refunded, totalAmountRefunded === 0 ? null : money(totalAmountRefunded)],
    [facts.cancelled, cancellationReason === undefined ? null : html`${nameIn(reasons, cancellationReason)}`],
    [facts.failure, failure === undefined ? null : html`${nameIn(reasons, failure.code)}`],
    [facts.metadata, own.length === 0 ? null : own.join('')],
  ] as const
}

function renderRefunds(locale: MoneyLocale, refunds: readonly Refund[]) {
  const { refunds: words } = locale.words.payments
  if (refunds.length === 0) return ''
  const columns = [
    { label: words.at, html: (each: Refund) => renderMoment(locale, each.refundedAt ?? each.createdAt) },
    moneyColumn<Refund>(locale, words.amount, ({ amount }) => amount),
    { label: words.status, html: ({ status }: Refund) => html`${words.statuses[status]}` },
    textColumn<Refund>(words.reason, ({ reason }) => reason),
    moneyColumn<Refund>(locale, words.returned, ({ returnedFees }) => returnedFees?.providerTtc ?? 0),
  ]
  return html`<h2>${words.title}</h2>!${renderTable(columns, refunds)}`
}

interface Event {
  type: string
  createdAt: string
  body: {
    data: {
      amount: number | null
      payer_phone: string | null
      failure?: { code: string }
      refund?: { amount: number }
    }
  }
}

function renderEvents(locale: MoneyLocale, { items, hasMore }: Page<Event>) {
  const { story } = locale.words.payments
  const entries = items
    .toReversed()
    .map(
      (event) =>
        html`<li>!${renderMoment(locale, event.createdAt)} <span>!${sentenceOf(locale, event)}</span></li>`,
    )
  return html`<h2>${story.title}</h2>
!${hasMore ? html`<p class="faint">${story.older}</p>` : ''}
!${entries.length === 0 ? html`<p>${story.none}</p>` : html`<ol class="card timeline">!${entries}</ol>`}`
}

function sentenceOf(locale: MoneyLocale, { type, body: { data } }: Event) {
  const { story, reasons } = locale.words.payments
  const money = (centimes: number | null | undefined) => renderMoney(locale, centimes ?? 0)
  const phone = renderLtr(data.payer_phone ?? '')
  if (type === 'payment.confirmed') return story[type](money(data.amount), phone)
  if (type === 'payment.failed') return story[type](html`${nameIn(reasons, data.failure?.code ?? '')}`)
  if (type === 'payment.refunded') return story[type](money(data.refund?.amount))
  const { 'payment.created': created, 'payment.cancelled': cancelled, 'payment.expired': expired } = story
  const plain = { 'payment.created': created, 'payment.cancelled': cancelled, 'payment.expired': expired }
  return html`${nameIn(plain, type)}`
}

interface Delivery {
  id: string
  event: string
  url: string | null
  status: string
  attempts: number | null
  createdAt: string
}

function renderDeliveries({ base }: Visit, locale: MoneyLocale, items: readonly Delivery[]) {
  const { deliveries: words } = locale.words.payments
  const path = ({ id }: Delivery) => `${base}/webhooks/deliveries/${id}`
  const columns = [
    { label: words.created, html: ({ createdAt }: Delivery) => renderMoment(locale, createdAt) },
    {
      label: words.event,
      html: (each: Delivery) => html`<a dir="ltr" href="${path(each)}">${each.event}</a>`,
    },
    { label: words.url, html: ({ url }: Delivery) => renderLtr(url ?? '') },
    { label: words.status, html: ({ status }: Delivery) => html`${nameIn(words.statuses, status)}` },
    { label: words.attempts, html: ({ attempts }: Delivery) => html`${String(attempts ?? '')}` },
  ]
  return html`<h2>${words.title}</h2>!${renderTable(columns, items)}`
}

async function cancelPayment(visit: Visit): Promise<VisitResult> {
  const { deps, req, res, caller } = visit
  const referenceNumber = String(req.params['id'])
  const key = formKey(visit, readFormFields(req, 'form').form, 'cancel', referenceNumber)
  try {
    await writeFor(deps, res, caller, 'cancelIntent', { params: { referenceNumber }, key })
    return { to: paymentPath(visit, referenceNumber) }
  } catch (error) {
    const { cancel } = moneyLocaleOf(res).words.payments
    const notices: Record<string, string> = {
      INTENT_CANCEL_INVALID_STATUS: cancel.refused,
      INTENT_CANCEL_CONFLICT: cancel.conflict,
      INTENT_NOT_FOUND: cancel.refused,
      SANDBOX_MISMATCH: cancel.refused,
    }
    const notice = error instanceof Refusal ? notices[error.code] : undefined
    if (notice === undefined) throw error
    return renderStory(visit, { notice }, 409)
  }
}
