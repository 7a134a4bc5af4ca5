import { html } from 'ghtml'
import type { Actor, AuditEvent } from '../../audit/audit-event.ts'
import type { TracedIntent } from '../../intents/look-up.ts'
import { hostOf } from '../../webhooks/deliveries/delivery.ts'
import { dueAt } from '../../webhooks/deliveries/lease.ts'
import type { ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { time } from './layout.ts'
import { deliveryPath } from './paths.ts'
import { type Entry, paymentStory } from './payment-story.ts'
import { duration, foreign, outcomeOf } from './words.ts'

/** What there is to tell of a payment; `intent` as it is now (asOf). */
export interface Story {
  intent: TracedIntent
  deliveries: readonly ListedDelivery[]
  trail: readonly AuditEvent[]
}

/** All that happened to a payment and its webhooks, in the order of time, and what comes next. */
export function timeline({ intent, deliveries, trail }: Story): string {
  const byId = new Map(deliveries.map((delivery) => [delivery._id, delivery]))
  const entries = [
    ...paymentStory(intent),
    ...intent.outbox.map(({ event, createdAt }) => ({
      at: createdAt,
      text: html`<b>${event}</b> waits to be handed to the receivers`,
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
  const { createdAt, deadAt } = delivery
  const due = dueAt(delivery)
  return [
    { at: createdAt, text: html`!${name}: ready to be sent` },
    ...numbered(delivery).map(({ number, attempt }) => ({
      at: attempt.at,
      text: html`!${name}: attempt ${number}, !${foreign(outcomeOf(attempt))} after ${duration(attempt.durationMs)}`,
    })),
    ...(deadAt === null ? [] : [{ at: deadAt, text: html`!${name}: <b>DEAD</b>, no attempt will follow` }]),
    ...(due === null ? [] : [{ at: due, text: html`!${name}: ${comingOf(delivery)}` }]),
  ]
}

const comingOf = ({ leaseToken }: ListedDelivery): string =>
  leaseToken === null ? 'the next attempt is due' : 'an attempt is under way'

const nameOf = (delivery: ListedDelivery | undefined): string =>
  delivery === undefined
    ? ''
    : html`<a href="${deliveryPath(delivery._id)}">${delivery.event}</a> to !${foreign(hostOf(delivery))}`

/** An attempt with its number, from 1. */
export interface Numbered<Attempt> {
  number: number
  attempt: Attempt
}

/** The attempts of a delivery that are kept, oldest first. */
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

/** What somebody did by hand, and who. */
export const actOf = ({ act, actor }: AuditEvent): string =>
  html`<b>${act === 'delivery.requeued' ? 'sent again' : act}</b> by ${kinds[actor.kind]} !${foreign(actor.name)}`
