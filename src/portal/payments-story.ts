import { html } from 'ghtml'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import * as text from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import type { FormPage } from '../people-pages/form.ts'
import { hasRight, readShown, type Visit, writeShown } from '../people-pages/visit.ts'
import * as money from './money-locale.ts'
import * as view from './payments-view.ts'

interface Story {
  intent: view.Payment
  events: Shown<'listEvents'>
  deliveries: readonly Delivery[]
}

async function readStory(visit: Visit): Promise<Story> {
  const intent = await view.readPayment(visit)
  const query = { referenceNumber: intent.referenceNumber, limit: '100' }
  const events = await readShown(visit, 'listEvents', { query })
  const { items: deliveries } = hasRight(visit, 'read-webhooks')
    ? await readShown(visit, 'listWebhookDeliveries', { query })
    : { items: [] }
  return { intent, events, deliveries }
}

/** One payment, with the button that cancels it. */
export const storyPage: FormPage<Story> = {
  right: 'cancel-payments',
  readRight: 'read-payments',
  path: '/payments/:id',
  find: readStory,
  show(visit, { intent, events, deliveries }) {
    const locale = money.moneyLocaleOf(visit.res)
    const { cancel, refund } = locale.words.payments
    const { referenceNumber, refunds } = intent
    const canRefund = view.refundableOf(intent) > 0 && hasRight(visit, 'refund-payments')
    const refundPath = `${money.paymentPath(visit, referenceNumber)}/refund`
    return {
      title: text.isolateLtrText(locale, referenceNumber),
      about: html`!${renderRefundNotice(visit, locale, refunds)}
<p class="money">!${view.renderAmount(locale, intent)}</p><p>!${view.renderStatus(locale, intent)}</p>
!${canRefund ? html`<p><a class="button" href="${refundPath}">${refund.link}</a></p>` : ''}`,
      button: intent.status === 'PENDING' && cancel.button,
      busy: cancel.busy,
      isDanger: true,
      more: html`<div class="card">!${text.renderFactList(factsOf(locale, intent, events.items))}</div>
!${refunds.length === 0 ? '' : renderRefunds(locale, refunds)}
!${renderEvents(locale, events)}
!${deliveries.length === 0 ? '' : renderDeliveries(visit, locale, deliveries)}`,
      isWide: true,
    }
  },
  async act(visit, { intent: { referenceNumber } }, keyOf) {
    await writeShown(visit, 'cancelIntent', { params: { referenceNumber }, key: keyOf(referenceNumber) })
    return { to: money.paymentPath(visit, referenceNumber) }
  },
  messagesOf({ res }, { code }) {
    const { notCancelled: title, refused, conflict } = money.moneyLocaleOf(res).words.payments.cancel
    if (code === 'INTENT_CANCEL_INVALID_STATUS') return { title, notice: refused }
    return code === 'INTENT_CANCEL_CONFLICT' ? { title, notice: conflict } : null
  },
}

/** The redirect after a refund names it. */
function renderRefundNotice({ req }: Visit, locale: money.MoneyLocale, refunds: readonly view.Refund[]) {
  const refund = refunds.find(({ id }) => id === req.query['refund'])
  if (refund === undefined) return ''
  const { done, waiting } = locale.words.payments.refunds
  const isDone = refund.status === 'SUCCEEDED'
  const amount = text.renderMoney(locale, refund.amount)
  return html`<p class="notice !${isDone ? 'good' : 'wait'}" role="status">!${isDone ? done(amount) : waiting(amount)}</p>`
}

function factsOf(locale: money.MoneyLocale, intent: view.Payment, events: readonly Event[]): text.FactRow[] {
  const { facts, types, methods, reasons } = locale.words.payments
  const { payment, totalAmountRefunded, cancellationReason, failure, status } = intent
  const fees = payment?.commission
  const name = (of: Record<string, string>, value: string | undefined) => value && money.renderName(of, value)
  const amount = (centimes: number | undefined) => centimes && text.renderMoney(locale, centimes)
  const phone = events.map((event) => dataOf(event).payer_phone).find(Boolean)
  const isOpen = status === 'PENDING'
  const own = Object.entries(intent.metadata).map(
    ([key, value]) => html`<div>!${text.isolateText(`${key}: ${value}`)}</div>`,
  )
  const rows = [
    [facts.label, text.isolateTextOrNull(intent.label)],
    [facts.merchantReference, text.isolateTextOrNull(intent.merchantReference)],
    [facts.created, text.renderTime(locale, intent.createdAt)],
    [facts.type, money.renderName(types, intent.type)],
    [facts.expires, isOpen && text.renderTime(locale, intent.expiresAt)],
    [facts.code, intent.code && text.renderLtr(intent.code)],
    [facts.link, isOpen && html`<a dir="ltr" href="${intent.payUrl}">${intent.payUrl}</a>`],
    [facts.paidAt, payment && text.renderTime(locale, payment.paidAt)],
    [facts.method, name(methods, payment?.method)],
    [facts.payer, phone && text.renderLtr(phone)],
    [facts.fee, amount(fees?.providerTtc)],
    [facts.payerFee, amount(fees?.payerTtc)],
    [facts.taxes, amount(fees ? fees.tof + fees.tte : 0)],
    [facts.refunded, amount(totalAmountRefunded)],
    [facts.cancelled, name(reasons, cancellationReason)],
    [facts.failure, name(reasons, failure?.code)],
    [facts.metadata, own.join('')],
  ] as const
  return rows.map(([term, value]) => [term, value || null])
}

function renderRefunds(locale: money.MoneyLocale, refunds: readonly view.Refund[]) {
  const { refunds: words } = locale.words.payments
  const columns: TableColumn<view.Refund>[] = [
    [words.at, (each) => text.renderTime(locale, each.refundedAt ?? each.createdAt)],
    money.moneyColumn(locale, words.amount, ({ amount }) => amount),
    [words.status, ({ status }) => html`${words.statuses[status]}`],
    money.textColumn(words.reason, ({ reason }) => reason),
    money.moneyColumn(locale, words.returned, ({ returnedFees }) => returnedFees?.providerTtc ?? 0),
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

function renderEvents(locale: money.MoneyLocale, { items, hasMore }: Events) {
  const { story } = locale.words.payments
  const entries = items
    .toReversed()
    .map(
      (event) =>
        html`<li>!${text.renderTime(locale, event.createdAt)} <span>!${sentenceOf(locale, event)}</span></li>`,
    )
  return html`<h2>${story.title}</h2>!${hasMore ? html`<p class="faint">${story.older}</p>` : ''}
!${entries.length === 0 ? html`<p>${story.none}</p>` : html`<ol class="card timeline">!${entries}</ol>`}`
}

function sentenceOf(locale: money.MoneyLocale, event: Event) {
  const { type } = event
  const data = dataOf(event)
  const { story, reasons } = locale.words.payments
  const amount = (centimes: number | null | undefined) => text.renderMoney(locale, centimes ?? 0)
  if (type === 'payment.confirmed')
    return story.paid(amount(data.amount), text.renderLtr(data.payer_phone ?? ''))
  if (type === 'payment.failed') return story.failed(money.renderName(reasons, data.failure?.code ?? ''))
  if (type === 'payment.refunded') return story.refunded(amount(data.refund?.amount))
  return money.renderName(story.events, type)
}

type Delivery = Shown<'listWebhookDeliveries'>['items'][number]

function renderDeliveries({ base }: Visit, locale: money.MoneyLocale, items: readonly Delivery[]) {
  const { deliveries: words } = locale.words.payments
  const path = ({ id }: Delivery) => `${base}/webhooks/deliveries/${id}`
  const columns: TableColumn<Delivery>[] = [
    [words.created, ({ createdAt }) => text.renderTime(locale, createdAt)],
    [words.event, (each) => html`<a dir="ltr" href="${path(each)}">${each.event}</a>`],
    [words.url, ({ url }) => text.renderLtr(url ?? '')],
    [words.status, ({ status }) => money.renderName(words.statuses, status)],
  ]
  return html`<h2>${words.title}</h2>!${renderTable(columns, items)}`
}
