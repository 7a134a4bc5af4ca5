import { html } from 'ghtml'
import type { DeliveryStatus } from '../../../schemas/list-deliveries.ts'
import type { Deps } from '../../deps.ts'
import { isLeased } from '../../webhooks/deliveries/lease.ts'
import type { ListedDelivery } from '../../webhooks/deliveries/look-up.ts'
import { time } from './layout.ts'
import { outcomeOf } from './words.ts'

type Telling = (delivery: ListedDelivery, now: Date) => string

const sentences: Record<DeliveryStatus, Telling> = {
  PENDING: (delivery, now) => html`Nothing was sent yet; !${next(delivery, now)}.`,
  RETRYING: (delivery, now) => html`!${last(delivery)}!${next(delivery, now)}.`,
  DELIVERED: ({ deliveredAt, attemptLog }) =>
    html`Delivered !${deliveredAt === null ? '' : html`at !${time(deliveredAt)}`}: the receiver answered ${attemptLog.at(-1)?.status ?? 'with success'}.`,
  DEAD: (delivery) =>
    html`!${last(delivery)}it was attempt ${delivery.attempts}, and none will follow unless it is sent again.`,
  CANCELLED: (delivery) =>
    html`!${last(delivery)}then it was stopped, because the receiver was deleted or switched off.`,
}

/** What a merchant on the phone wants to hear of one delivery, as a sentence in HTML. */
export function whatHappened(deps: Pick<Deps, 'now'>, delivery: ListedDelivery): string {
  const now = deps.now()
  if (isLeased(delivery, now)) return html`An attempt is under way right now.`
  return sentences[delivery.status](delivery, now)
}

function last({ attemptLog, attempts }: ListedDelivery): string {
  const attempt = attemptLog.at(-1)
  if (attempt === undefined) return attempts === 0 ? 'Nothing was sent; ' : ''
  return html`The last attempt, at !${time(attempt.at)}, got !${html`<b><bdi>${outcomeOf(attempt)}</bdi></b>`}; `
}

function next({ nextAttemptAt, attempts }: ListedDelivery, now: Date): string {
  const name = attempts === 0 ? 'the first attempt' : 'the next'
  if (nextAttemptAt === null || nextAttemptAt <= now) return `${name} is due now`
  return html`${name} is at !${time(nextAttemptAt)}`
}
