import { html } from 'ghtml'
import type { IntentStatus } from '../../schemas/intents.ts'
import type { TableColumn } from '../http/pages/table.ts'
import { renderTable } from '../http/pages/table.ts'
import { renderMoney } from '../http/pages/text.ts'
import type { Visit } from '../people-pages/visit.ts'
import {
  type MoneyLocale,
  moneyLocaleOf,
  nameIn,
  renderMoment,
  renderReference,
  textColumn,
} from './money-locale.ts'

export interface Refund {
  id: string
  amount: number
  returnedFees: { providerTtc: number } | null
  reason: string | null
  status: 'PENDING' | 'SUCCEEDED'
  createdAt: string
  refundedAt: string | null
}

interface Paid {
  amountPaid: number
  paidAt: string
  method: string
  commission: Record<'providerTtc' | 'payerTtc' | 'tof' | 'tte', number> | null
}

/** What the API shows of an intent. */
export interface Payment {
  referenceNumber: string
  code: string | null
  payUrl: string
  amount: number | null
  label: string | null
  merchantReference: string | null
  status: IntentStatus
  type: string
  metadata: Record<string, string>
  payment: Paid | null
  refunds: Refund[]
  totalAmountRefunded: number
  cancellationReason?: string
  failure?: { code: string }
  createdAt: string
  expiresAt: string
}

/** The API omits refunds that failed, so these are done or on their way. */
export const refundableOf = ({ payment, refunds }: Payment): number =>
  payment === null ? 0 : payment.amountPaid - refunds.reduce((sum, { amount }) => sum + amount, 0)

export function renderAmount(locale: MoneyLocale, { payment, amount }: Payment): string {
  const centimes = payment?.amountPaid ?? amount
  return centimes === null ? html`${locale.words.payments.open}` : renderMoney(locale, centimes)
}

const looks: Partial<Record<IntentStatus, string>> = { PAID: 'good', PENDING: 'wait', FAILED: 'bad' }

export function renderStatus({ words }: MoneyLocale, intent: Payment): string {
  const { status, payment, totalAmountRefunded } = intent
  const { statuses, refundedInPart } = words.payments
  const isPart = status === 'REFUNDED' && totalAmountRefunded < (payment?.amountPaid ?? 0)
  const text = isPart ? refundedInPart : statuses[status]
  return html`<span class="badge !${looks[status] ?? 'faint'}">${text}</span>`
}

export function renderPayments(visit: Visit, items: readonly Payment[]): string {
  const locale = moneyLocaleOf(visit.res)
  const { facts, title, types } = locale.words.payments
  const columns: TableColumn<Payment>[] = [
    { label: facts.reference, html: ({ referenceNumber }) => renderReference(visit, referenceNumber) },
    { label: facts.created, html: ({ createdAt }) => renderMoment(locale, createdAt) },
    { label: facts.amount, classes: 'number', html: (intent) => renderAmount(locale, intent) },
    { label: facts.status, html: (intent) => renderStatus(locale, intent) },
    textColumn(facts.label, ({ label }) => label),
    textColumn(facts.merchantReference, ({ merchantReference }) => merchantReference),
    textColumn(facts.type, ({ type }) => nameIn(types, type)),
  ]
  return renderTable(columns, items, { label: title })
}
