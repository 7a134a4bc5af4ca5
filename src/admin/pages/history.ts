import { html } from 'ghtml'
import type { DeliveryStatus } from '../../../schemas/deliveries.ts'
import type { Deps } from '../../deps.ts'
import { isLeased } from '../../webhooks/deliveries/lease.ts'
import type { ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { time } from './layout.ts'
import { outcomeOf } from './words.ts'

type Sentence = (delivery: ListedDelivery, now: Date) => string

const sentences: Record<DeliveryStatus, Sentence> = {
  PENDING: (delivery, now) => html`No attempt yet. !${next(delivery, now)}`,
  RETRYING: (delivery, now) => html`!${last(delivery)} !${next(delivery, now)}`,
  DELIVERED: ({ deliveredAt, attemptLog }) =>
    html`Delivered!${deliveredAt === null ? '' : html` at !${time(deliveredAt)}`}. The endpoint responded with status ${attemptLog.at(-1)?.status ?? '2xx'}.`,
  DEAD: (delivery) =>
    html`!${last(delivery)} It was attempt ${delivery.attempts}. No attempt follows unless you re-queue the delivery.`,
  CANCELLED: (delivery) =>
    html`!${last(delivery)} The delivery was cancelled because the endpoint was deleted or disabled.`,
}

/** Returns HTML that explains a delivery's current state. */
export function whatHappened(deps: Pick<Deps, 'now'>, delivery: ListedDelivery): string {
  const now = deps.now()
  if (isLeased(delivery, now)) return html`An attempt is in progress now.`
  return sentences[delivery.status](delivery, now)
}

function last({ attemptLog, attempts }: ListedDelivery): string {
  const attempt = attemptLog.at(-1)
  if (attempt === undefined) return attempts === 0 ? 'No attempt was made.' : ''
  return html`The last attempt, at !${time(attempt.at)}, failed: !${html`<b><bdi>${outcomeOf(attempt)}</bdi></b>`}.`
}

function next({ nextAttemptAt, attempts }: ListedDelivery, now: Date): string {
  const name = attempts === 0 ? 'The first attempt' : 'The next attempt'
  if (nextAttemptAt === null || nextAttemptAt <= now) return `${name} is due now.`
  return html`${name} is at !${time(nextAttemptAt)}.`
}
