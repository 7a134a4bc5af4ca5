import type { Router } from 'express'
import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import { type FormMessages, hasFormMessages, renderHiddenInput } from '../http/pages/forms.ts'
import { renderTable } from '../http/pages/table.ts'
import {
  type FactRow,
  isolateText,
  isolateTextOrNull,
  renderFactList,
  renderLtr,
  renderMoney,
} from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import { errorSummaryOf, renderPostForm } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { formKey, hasRight, readShown, type Visit, writeShown } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import {
  type MoneyLocale,
  moneyColumn,
  moneyLocaleOf,
  paramOf,
  paymentPath,
  renderMoment,
  renderName,
  textColumn,
} from './money-locale.ts'
import {
  type Payment,
  type Refund,
  readPayment,
  refundableOf,
  renderAmount,
  renderStatus,
} from './payments-view.ts'

export function addPaymentStory(router: Router): void {
  router.get(
    '/payments/:id',
    serveVisit('read-payments', (visit) => showPayment(visit, {}, 200)),
  )
  router.post('/payments/:id/cancel', serveVisit('cancel-payments', cancelPayment))
}

async function showPayment(visit: Visit, messages: FormMessages, status: number): Promise<VisitResult> {
  const intent = await readPayment(visit)
  const { referenceNumber, refunds } = intent
  const query = { referenceNumber, limit: '100' }
  const events = await readShown(visit, 'listEvents', { query })
  const { items: deliveries } = hasRight(visit, 'read-webhooks')
    ? await readShown(visit, 'listWebhookDeliveries', { query })
    : { items: [] }
  const locale = moneyLocaleOf(visit.res)
  const notice = hasFormMessages(messages) ? '' : renderRefundNotice(visit, locale, refunds)
  const body = html`!${errorSummaryOf(visit.res, messages, locale.words.payments.cancel.title)}!${notice}
<h1>!${renderLtr(referenceNumber)}</h1>
<p class="money">!${renderAmount(locale, intent)}</p><p>!${renderStatus(locale, intent)}</p>
!${renderActs(visit, locale, intent)}
<div class="card">!${renderFactList(factsOf(locale, intent, events.items))}</div>
!${refunds.length === 0 ? '' : renderRefunds(locale, refunds)}
!${renderEvents(locale, events)}
!${deliveries.length === 0 ? '' : renderDeliveries(visit, locale, deliveries)}`
  return { status, title: referenceNumber, body, current: `${visit.base}/payments` }
}

/** The redirect after a refund names it. */
function renderRefundNotice({ req }: Visit, locale: MoneyLocale, refunds: readonly Refund[]) {
  const refund = refunds.find(({ id }) => id === req.query['refund'])
  if (refund === undefined) return ''
  const { done, waiting } = locale.words.payments.refunds
  const isDone = refund.status === 'SUCCEEDED'
  const amount = renderMoney(locale, refund.amount)
  return html`<p class="notice !${isDone ? 'good' : 'wait'}" role="status">!${isDone ? done(amount) : waiting(amount)}</p>`
}

function renderActs(visit: Visit, { words }: MoneyLocale, intent: Payment) {
  const { cancel, refund } = words.payments
  const path = paymentPath(visit, intent.referenceNumber)
  if (refundableOf(intent) > 0 && hasRight(visit, 'refund-payments'))
    return html`<p><a class="button" href="${path}/refund">${refund.link}</a></p>`
  if (intent.status !== 'PENDING' || !hasRight(visit, 'cancel-payments')) return ''
  const button = html`<button class="plain">${cancel.button}</button>`
  const form = renderHiddenInput('form', newId())
  return renderPostForm(visit.member.person, `${path}/cancel`, form, button, cancel.busy)
}

function factsOf(locale: MoneyLocale, intent: Payment, events: readonly Event[]): FactRow[] {
  const { facts, types, methods, reasons } = locale.words.payments
  const { payment, totalAmountRefunded, cancellationReason, failure, status } = intent
  const fees = payment?.commission
  const name = (of: Record<string, string>, value: string | undefined) => value && renderName(of, value)
  const money = (centimes: number | undefined) => centimes && renderMoney(locale, centimes)
  const phone = events.map((event) => dataOf(event).payer_phone).find(Boolean)
  const isOpen = status === 'PENDING'
  const own = Object.entries(intent.metadata).map(
    ([key, value]) => html`<div>!${isolateText(`${key}: ${value}`)}</div>`,
  )
  const rows = [
    [facts.label, isolateTextOrNull(intent.label)],
    [facts.merchantReference, isolateTextOrNull(intent.merchantReference)],
    [facts.created, renderMoment(locale, intent.createdAt)],
    [facts.type, renderName(types, intent.type)],
    [facts.expires, isOpen && renderMoment(locale, intent.expiresAt)],
    [facts.code, intent.code && renderLtr(intent.code)],
    [facts.link, isOpen && html`<a dir="ltr" href="${intent.payUrl}">${intent.payUrl}</a>`],
    [facts.paidAt, payment && renderMoment(locale, payment.paidAt)],
    [facts.method, name(methods, payment?.method)],
    [facts.payer, phone && renderLtr(phone)],
    [facts.fee, money(fees?.providerTtc)],
    [facts.payerFee, money(fees?.payerTtc)],
    [facts.taxes, money(fees ? fees.tof + fees.tte : 0)],
    [facts.refunded, money(totalAmountRefunded)],
    [facts.cancelled, name(reasons, cancellationReason)],
    [facts.failure, name(reasons, failure?.code)],
    [facts.metadata, own.join('')],
  ] as const
  return rows.map(([term, value]) => [term, value || null])
}

function renderRefunds(locale: MoneyLocale, refunds: readonly Refund[]) {
  const { refunds: words } = locale.words.payments
  const columns = [
    { label: words.at, html: (each: Refund) => renderMoment(locale, each.refundedAt ?? each.createdAt) },
    moneyColumn<Refund>(locale, words.amount, ({ amount }) => amount),
    { label: words.status, html: ({ status }: Refund) => html`${words.statuses[status]}` },
    textColumn<Refund>(words.reason, ({ reason }) => reason),
    moneyColumn<Refund>(locale, words.returned, ({ returnedFees }) => returnedFees?.providerTtc ?? 0),
  ]
  return html`<h2>${words.title}</h2>!${renderTable(columns, refunds)}`
}

interface EventData {
  amount: number | null
  payer_phone: string | null
  failure?: { code: string }
  refund?: { amount: number }
}

type Events = Shown<'listEvents'>
type Event = Events['items'][number]

const dataOf = ({ body }: Event) => (body as { data: EventData }).data

function renderEvents(locale: MoneyLocale, { items, hasMore }: Events) {
  const { story } = locale.words.payments
  const entries = items
    .toReversed()
    .map(
      (event) =>
        html`<li>!${renderMoment(locale, event.createdAt)} <span>!${sentenceOf(locale, event)}</span></li>`,
    )
  return html`<h2>${story.title}</h2>!${hasMore ? html`<p class="faint">${story.older}</p>` : ''}
!${entries.length === 0 ? html`<p>${story.none}</p>` : html`<ol class="card timeline">!${entries}</ol>`}`
}

function sentenceOf(locale: MoneyLocale, event: Event) {
  const { type } = event
  const data = dataOf(event)
  const { story, reasons } = locale.words.payments
  const money = (centimes: number | null | undefined) => renderMoney(locale, centimes ?? 0)
  if (type === 'payment.confirmed') return story.paid(money(data.amount), renderLtr(data.payer_phone ?? ''))
  if (type === 'payment.failed') return story.failed(renderName(reasons, data.failure?.code ?? ''))
  if (type === 'payment.refunded') return story.refunded(money(data.refund?.amount))
  return renderName(story.events, type)
}

type Delivery = Shown<'listWebhookDeliveries'>['items'][number]

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
    { label: words.status, html: ({ status }: Delivery) => renderName(words.statuses, status) },
  ]
  return html`<h2>${words.title}</h2>!${renderTable(columns, items)}`
}

async function cancelPayment(visit: Visit): Promise<VisitResult> {
  const referenceNumber = paramOf(visit)
  const key = formKey(visit, readFormFields(visit.req, 'form').form, 'cancel', referenceNumber)
  try {
    await writeShown(visit, 'cancelIntent', { params: { referenceNumber }, key })
    return { to: paymentPath(visit, referenceNumber) }
  } catch (error) {
    const { cancel } = moneyLocaleOf(visit.res).words.payments
    const code = error instanceof Refusal ? error.code : ''
    if (code === 'INTENT_CANCEL_INVALID_STATUS') return showPayment(visit, { notice: cancel.refused }, 409)
    if (code === 'INTENT_CANCEL_CONFLICT') return showPayment(visit, { notice: cancel.conflict }, 409)
    throw error
  }
}
