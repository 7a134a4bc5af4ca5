import { html } from 'ghtml'
import type { IntentStatus } from '../../schemas/intents.ts'
import type { TableColumn } from '../http/pages/table.ts'
import { renderMoney, renderTime } from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import { readShown, type Visit } from '../people-pages/visit.ts'
import * as money from './money-locale.ts'

/** What the API shows of an intent. */
export type Payment = Shown<'getIntent'>
export type Refund = Payment['refunds'][number]

export const readPayment = (visit: Visit): Promise<Payment> =>
  readShown(visit, 'getIntent', { params: { referenceNumber: money.paramOf(visit) } })

/** The API omits refunds that failed, so these are done or on their way. */
export const refundableOf = ({ payment, refunds }: Payment): number =>
  (payment?.amountPaid ?? 0) - refunds.reduce((sum, { amount }) => sum + amount, 0)

export function renderAmount(locale: money.MoneyLocale, { payment, amount }: Payment): string {
  const centimes = payment?.amountPaid ?? amount
  return centimes === null ? html`${locale.words.payments.open}` : renderMoney(locale, centimes)
}

const looks: Partial<Record<IntentStatus, string>> = { PAID: 'good', PENDING: 'wait', FAILED: 'bad' }

export function renderStatus({ words }: money.MoneyLocale, intent: Payment): string {
  const { status, payment, totalAmountRefunded } = intent
  const { statuses, refundedInPart } = words.payments
  const isPart = status === 'REFUNDED' && totalAmountRefunded < (payment?.amountPaid ?? 0)
  const text = isPart ? refundedInPart : statuses[status]
  return html`<span class="badge !${looks[status] ?? 'faint'}">${text}</span>`
}

export function paymentColumns(visit: Visit): TableColumn<Payment>[] {
  const locale = money.moneyLocaleOf(visit.res)
  const { facts } = locale.words.payments
  return [
    [facts.reference, ({ referenceNumber }) => money.renderReference(visit, referenceNumber)],
    [facts.created, ({ createdAt }) => renderTime(locale, createdAt)],
    [facts.amount, (intent) => renderAmount(locale, intent), 'number'],
    [facts.status, (intent) => renderStatus(locale, intent)],
    money.textColumn(facts.label, ({ label }) => label),
    money.textColumn(facts.merchantReference, ({ merchantReference }) => merchantReference),
  ]
}
