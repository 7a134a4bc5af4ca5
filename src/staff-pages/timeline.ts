import { html } from 'ghtml'
import type { CancellationReason } from '../../schemas/payment-reasons.ts'
import type { AuditEvent } from '../audit/audit-event.ts'
import type { Price } from '../checkout/layout.ts'
import { isPending } from '../intents/lifecycle.ts'
import type { PaymentAttempt } from '../intents/records.ts'
import type { TracedIntent } from '../intents/search.ts'
import type { Actor } from '../security/actor.ts'
import { hostOf } from '../webhooks/deliveries/delivery.ts'
import { dueAt } from '../webhooks/deliveries/lease.ts'
import type { ListedDelivery } from '../webhooks/deliveries/look-up.ts'
import { duration, money, outcomeOf, paymentOutcome, refundOutcome, time, userText } from './format.ts'
import { deliveryPath } from './paths.ts'
import { chargedInWords, givenBackInWords } from './sentences/payment-advice.ts'

/** The data for a timeline. Pass `intent` through `asOf` first, so that its status is up to date. */
interface Story {
  intent: TracedIntent
  deliveries: readonly ListedDelivery[]
  trail: readonly AuditEvent[]
}

/** Returns the past and future events of a payment intent and its webhooks, in chronological order. */
export function timeline({ intent, deliveries, trail }: Story): string {
  const byId = new Map(deliveries.map((delivery) => [delivery._id, delivery]))
  const entries = [
    ...paymentStory(intent),
    ...intent.outbox.map(({ event, createdAt }) => ({
      at: createdAt,
      text: html`<b>${event}</b> happened; not sent to the endpoints yet`,
    })),
    ...deliveries.flatMap(storyOf),
    ...trail.map((line) => ({
      at: line.at,
      text: html`!${nameOf(byId.get(line.subject))}: !${actOf(line)}`,
    })),
  ]
  const inOrder = entries.toSorted((a, b) => a.at.getTime() - b.at.getTime())
  return html`<ol class="timeline">!${inOrder.map(({ at, text }) => html`<li>!${time(at)} <span>!${text}</span></li>`)}</ol>`
}

function storyOf(delivery: ListedDelivery): Entry[] {
  const name = nameOf(delivery)
  const { createdAt, deadAt, cancelledAt } = delivery
  return [
    { at: createdAt, text: html`!${name}: delivery created` },
    ...numbered(delivery).map(({ number, attempt }) => ({
      at: attempt.at,
      text: html`!${name}: attempt ${number}, !${userText(outcomeOf(attempt))} after ${duration(attempt.durationMs)}`,
    })),
    ...entryAt(deadAt, html`!${name}: <b>DEAD</b>, no attempt follows`),
    ...entryAt(cancelledAt, html`!${name}: <b>CANCELLED</b>, because the endpoint was deleted or disabled`),
    ...entryAt(dueAt(delivery), html`!${name}: ${dueText(delivery)}`),
  ]
}

const dueText = ({ leaseToken }: ListedDelivery): string =>
  leaseToken === null ? 'the next attempt is due' : 'an attempt is in progress'

const nameOf = (delivery: ListedDelivery | undefined): string =>
  delivery === undefined
    ? ''
    : html`<a href="${deliveryPath(delivery._id)}">${delivery.event}</a> to !${userText(hostOf(delivery))}`

/** A delivery attempt with its number, starting at 1. */
export interface Numbered<Attempt> {
  number: number
  attempt: Attempt
}

/** Returns a delivery's stored attempts with their numbers, starting with the oldest attempt. */
export const numbered = <Attempt>(delivery: {
  attempts: number
  attemptLog: Attempt[]
}): Numbered<Attempt>[] => {
  const { attempts, attemptLog } = delivery
  return attemptLog.map((attempt, index) => ({ number: attempts - attemptLog.length + index + 1, attempt }))
}

const kinds: Record<Actor['kind'], string> = {
  staff: 'support staff',
  operator: 'an operator',
  merchant: 'the merchant, with API key',
}

/** Describes a manual action and who performed it. */
export const actOf = ({ act, actor }: AuditEvent): string =>
  html`<b>${act === 'delivery.requeued' ? 're-queued' : act}</b> by ${kinds[actor.kind]} !${userText(actor.name)}`

/** A past or future entry in the timeline. `text` is HTML. */
interface Entry {
  at: Date
  text: string
}

/** Returns an entry if its time is known. */
const entryAt = (at: Date | null | undefined, text: string): Entry[] => (at ? [{ at, text }] : [])

/** Returns the past and future events of a payment intent. `intent` must have its current status (`asOf`). */
const paymentStory = (intent: TracedIntent): Entry[] => [
  { at: intent.createdAt, text: html`<b>Created</b> by the merchant` },
  ...attemptsToPay(intent),
  ...refunds(intent),
  ...ends(intent),
]

const reasons: Record<CancellationReason, string> = {
  requested_by_merchant: 'cancelled by the merchant',
  cancelled_by_operator: 'cancelled by an operator',
  expired: 'expired without a payment',
}

function ends({ status, cancellationReason, updatedAt, expiresAt }: TracedIntent): Entry[] {
  if (isPending(status)) return [{ at: expiresAt, text: 'Expires if it is not paid' }]
  if (cancellationReason === null) return []
  return [{ at: updatedAt, text: html`<b>${status}</b>: ${reasons[cancellationReason]}` }]
}

/** Returns the payments, and the refunds that failed. Other refunds are listed separately. */
function attemptsToPay({ attempts, hold }: TracedIntent): Entry[] {
  const ended = attempts.flatMap((attempt) => [
    ...(attempt.startedAt === undefined ? [] : [started({ ...attempt, startedAt: attempt.startedAt })]),
    {
      at: attempt.at,
      text:
        attempt.kind === 'payment'
          ? html`<b>Payment</b> of ${charged(attempt)} by <bdi dir="ltr">${attempt.payerPhone}</bdi>: ${paymentOutcome(attempt)}`
          : html`<b>Refund</b> of ${givenBack(attempt)} failed: ${refundOutcome(attempt)}`,
    },
  ])
  if (hold === null) return ended
  return [
    ...ended,
    started({ ...hold, kind: 'payment', fee: hold.commission.payerTtc }),
    { at: hold.queryAt, text: 'The service checks the outcome of the payment with the wallet' },
  ]
}

/** Describes the start of a payment, or of a refund that failed. */
const started = ({
  kind,
  startedAt,
  payerPhone,
  ...price
}: Pick<PaymentAttempt, 'kind' | 'amount' | 'fee' | 'payerPhone'> & { startedAt: Date }): Entry => ({
  at: startedAt,
  text:
    kind === 'payment'
      ? html`<b>Payment</b> of ${charged(price)} by <bdi dir="ltr">${payerPhone}</bdi> started`
      : html`<b>Refund</b> of ${givenBack(price)} started`,
})

const refunds = ({ refunds: all }: TracedIntent): Entry[] =>
  all.flatMap(({ amount, returnedFees, status, createdAt, queryAt }) => [
    {
      at: createdAt,
      text: html`<b>Refund</b> of ${givenBack({ amount, fee: returnedFees.payerTtc })}: ${status}`,
    },
    ...entryAt(queryAt, 'The service checks the outcome of the refund with the wallet'),
  ])

const language = { code: 'en', dir: 'ltr', money } as const
const charged = (price: Price): string => chargedInWords(language, price)
const givenBack = (price: Price): string => givenBackInWords(language, price)
