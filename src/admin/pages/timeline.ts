import { html } from 'ghtml'
import type { Actor, AuditEvent } from '../../audit/audit-event.ts'
import type { TracedIntent } from '../../intents/search.ts'
import { hostOf } from '../../webhooks/deliveries/delivery.ts'
import { dueAt } from '../../webhooks/deliveries/lease.ts'
import type { ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { time } from './layout.ts'
import { deliveryPath } from './paths.ts'
import { type Entry, entryAt, paymentStory } from './payment-story.ts'
import { duration, outcomeOf, userText } from './words.ts'

/** The data for a timeline. Pass `intent` through `asOf` first, so that its status is up to date. */
export interface Story {
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
export const numbered = <Attempt>(delivery: { attempts: number; attemptLog: Attempt[] }): Numbered<Attempt>[] => {
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
