import { html } from 'ghtml'
import type { CancellationReason } from '../../schemas/payment-reasons.ts'
import type { AuditEvent } from '../audit/audit-event.ts'
import { isolateText } from '../http/pages/text.ts'
import { isPending } from '../intents/lifecycle.ts'
import type { PaymentAttempt } from '../intents/records.ts'
import type { RedactedIntent } from '../intents/search.ts'
import type { Actor } from '../security/actor.ts'
import { hostOf, shownDueAt } from '../webhooks/deliveries/delivery.ts'
import type { ListedDelivery } from '../webhooks/deliveries/look-up.ts'
import * as format from './format.ts'
import { deliveryPath } from './paths.ts'
import { describePrice } from './sentences/payment-advice.ts'

/** `intent` must have its current status (`intentAsOf`). */
export function renderPaymentTimeline(
  intent: RedactedIntent,
  deliveries: readonly ListedDelivery[],
  trail: readonly AuditEvent[],
): string {
  const byId = new Map(deliveries.map((delivery) => [delivery._id, delivery]))
  const entries = [
    ...entryAt(intent.createdAt, html`<b>Created</b> by !${creator(intent)}`),
    ...attemptsToPay(intent),
    ...refunds(intent),
    ...ends(intent),
    ...intent.outbox.flatMap(({ event, createdAt }) =>
      entryAt(createdAt, html`<b>${event}</b> happened; not sent to the endpoints yet`),
    ),
    ...deliveries.flatMap(storyOf),
    ...trail.flatMap((line) =>
      entryAt(line.at, html`!${nameOf(byId.get(line.subject))}: !${renderAction(line)}`),
    ),
  ]
  const inOrder = entries.toSorted((a, b) => a.at.getTime() - b.at.getTime())
  return html`<ol class="timeline">!${inOrder.map(({ at, text }) => html`<li>!${format.renderTime(at)} <span>!${text}</span></li>`)}</ol>`
}

function storyOf(delivery: ListedDelivery) {
  const name = nameOf(delivery)
  const { createdAt, deadAt, cancelledAt } = delivery
  return [
    ...entryAt(createdAt, html`!${name}: delivery created`),
    ...numberAttempts(delivery).flatMap(({ number, attempt }) => {
      const result = html`!${isolateText(format.describeAttempt(attempt))} after ${format.formatDuration(attempt.durationMs)}`
      return entryAt(attempt.at, html`!${name}: attempt ${number}, !${result}`)
    }),
    ...entryAt(deadAt, html`!${name}: <b>DEAD</b>, no further attempts follow`),
    ...entryAt(cancelledAt, html`!${name}: <b>CANCELLED</b>, because the endpoint was deleted or disabled`),
    ...entryAt(shownDueAt(delivery), html`!${name}: ${dueText(delivery)}`),
  ]
}

const dueText = ({ leaseToken }: ListedDelivery) =>
  leaseToken === null ? 'the next attempt is due' : 'an attempt is in progress'

const nameOf = (delivery: ListedDelivery | undefined) =>
  delivery === undefined
    ? ''
    : html`<a href="${deliveryPath(delivery._id)}">${delivery.event}</a> to !${isolateText(hostOf(delivery))}`

export interface NumberedAttempt<Attempt> {
  number: number
  attempt: Attempt
}

/** Only the latest attempts are stored, so numbers may not begin at 1. */
export const numberAttempts = <Attempt>(delivery: {
  attempts: number
  attemptLog: Attempt[]
}): NumberedAttempt<Attempt>[] => {
  const { attempts, attemptLog } = delivery
  return attemptLog.map((attempt, index) => ({ number: attempts - attemptLog.length + index + 1, attempt }))
}

const kinds: Record<Actor['kind'], string> = {
  staff: 'support staff',
  operator: 'an operator',
  merchant: 'the merchant, with API key',
  person: 'the merchant, as person',
}

const creator = ({ till }: RedactedIntent) =>
  till === undefined ? 'the merchant' : html`${kinds.person} !${isolateText(till.personId)}, at the till`

export const renderAction = ({ act, actor }: AuditEvent): string =>
  html`<b>${act === 'delivery.requeued' ? 're-queued' : act}</b> by ${kinds[actor.kind]} !${isolateText(actor.name)}`

const entryAt = (at: Date | null | undefined, text: string) => (at ? [{ at, text }] : [])

const reasons: Record<CancellationReason, string> = {
  requested_by_merchant: 'cancelled by the merchant',
  cancelled_by_operator: 'cancelled by an operator',
  expired: 'expired without a payment',
}

function ends({ status, cancellationReason, updatedAt, expiresAt }: RedactedIntent) {
  if (isPending(status)) return entryAt(expiresAt, 'Expires if it is not paid')
  if (cancellationReason === null) return []
  return entryAt(updatedAt, html`<b>${status}</b>: ${reasons[cancellationReason]}`)
}

/** Successful refunds are listed separately. */
function attemptsToPay({ attempts, hold }: RedactedIntent) {
  const ended = attempts.flatMap((attempt) => {
    const name = nameOfAttempt(attempt)
    const result =
      attempt.kind === 'payment' ? format.formatPaymentOutcome(attempt) : format.formatRefundOutcome(attempt)
    return [
      ...entryAt(attempt.startedAt, html`!${name} started`),
      ...entryAt(attempt.at, html`!${name}${attempt.kind === 'payment' ? '' : ' failed'}: ${result}`),
    ]
  })
  if (hold === null) return ended
  const name = nameOfAttempt({ ...hold, kind: 'payment', fee: hold.commission.payerTtc })
  return [
    ...ended,
    ...entryAt(hold.startedAt, html`!${name} started`),
    ...entryAt(hold.queryAt, 'The service checks the outcome of the payment with the wallet'),
  ]
}

type NamedAttempt = Pick<PaymentAttempt, 'kind' | 'amount' | 'fee' | 'payerPhone'>

const nameOfAttempt = ({ kind, payerPhone, ...price }: NamedAttempt) =>
  kind === 'payment'
    ? html`<b>Payment</b> of ${describePrice('charged', language, price)} by <bdi dir="ltr">${payerPhone}</bdi>`
    : html`<b>Refund</b> of ${describePrice('givenBack', language, price)}`

const refunds = ({ refunds: all }: RedactedIntent) =>
  all.flatMap(({ amount, returnedFees, status, createdAt, queryAt }) => [
    ...entryAt(
      createdAt,
      html`<b>Refund</b> of ${describePrice('givenBack', language, { amount, fee: returnedFees.payerTtc })}: ${status}`,
    ),
    ...entryAt(queryAt, 'The service checks the outcome of the refund with the wallet'),
  ])

const language = { code: 'en', dir: 'ltr', money: format.formatMoney } as const
