import { html } from 'ghtml'
import type { DeliveryStatus } from '../../schemas/deliveries.ts'
import type { EventName } from '../../schemas/events.ts'
import type { Deps } from '../platform/deps.ts'
import type { SignedIn } from '../staff/staff-sessions.ts'
import { hostOf } from '../webhooks/deliveries/delivery.ts'
import { isLeased } from '../webhooks/deliveries/lease.ts'
import type { ListedDelivery, TracedEndpoint } from '../webhooks/deliveries/look-up.ts'
import { lastUrl } from '../webhooks/deliveries/present.ts'
import { lastDayOf } from '../webhooks/endpoints/endpoint-facts.ts'
import { deliveryBadge, endpointBadge, environmentBadge } from './badges.ts'
import { time } from './layout.ts'
import { deliveryPath, endpointPath, idLink, sourceOf, userLink } from './paths.ts'
import { requeueButton } from './requeue.ts'
import { type Column, table } from './table.ts'
import { outcomeOf, userText } from './words.ts'

/**
 * Returns a table of deliveries, which also shows each delivery's last attempt. On a phone, each row is shown as a
 * card.
 */
export const deliveriesTable = (caption: string, deliveries: readonly ListedDelivery[]): string =>
  table(deliveryColumns, deliveries, { caption })

const deliveryColumns: Column<ListedDelivery>[] = [
  { title: 'Delivery', html: ({ _id, event }) => html`<a href="${deliveryPath(_id)}">${event}</a>` },
  {
    title: 'Payment or order',
    html: ({ referenceNumber: id, sandbox }) =>
      html`!${idLink(sourceOf(id).path, id)} !${environmentBadge(sandbox)}`,
  },
  { title: 'Endpoint', classes: 'wide', html: (delivery) => userText(hostOf(delivery)) },
  { title: 'Status', html: ({ status }) => deliveryBadge(status) },
  { title: 'Last attempt', html: lastAttempt },
]

function lastAttempt({ attempts, attemptLog }: ListedDelivery): string {
  const attempt = attemptLog.at(-1)
  if (attempt === undefined) return 'none yet'
  return html`${attempts}: !${userText(outcomeOf(attempt))}, !${time(attempt.at)}`
}

/** Returns an endpoint's health as HTML. */
export function healthOf({ health }: TracedEndpoint): string {
  const { failuresInRow, lastError: stage, lastFailureAt, lastStatus: status, lastSuccessAt } = health
  const success =
    lastSuccessAt === null ? 'No successful delivery yet.' : html`Last success !${time(lastSuccessAt)}.`
  if (failuresInRow === 0 || lastFailureAt === null) return success
  const times = failuresInRow === 1 ? 'The last attempt failed' : `The last ${failuresInRow} attempts failed`
  const why = stage === null ? '' : html`: ${outcomeOf({ status, stage, error: null })}`
  return html`<b>${times}</b>, most recently at !${time(lastFailureAt)}!${why}. !${success}`
}

/** Returns how many of the attempts of the last 24 hours succeeded, and since when they fail if that was reported. */
export function lastDayText(endpoint: TracedEndpoint, now: Date): string {
  const { attempts, succeeded, successRate } = lastDayOf(endpoint, now)
  const since = endpoint.reportedFailure?.since
  const report =
    since === undefined ? '' : html` Failing since !${time(since)}, which was reported as endpoint.failing.`
  if (successRate === null) return html`No attempts.!${report}`
  const percent = Math.floor(successRate * 100)
  return html`${succeeded} of ${attempts} attempts succeeded (${percent} %).!${report}`
}

/** The columns of a table of endpoints with their health. */
export const endpointColumns: Column<TracedEndpoint>[] = [
  { title: 'Endpoint', classes: 'wide', html: ({ _id, url }) => userLink(endpointPath(_id), url) },
  { title: 'State', html: endpointBadge },
  { title: 'Health', html: healthOf },
]

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

/** Returns a card for each delivery on the page of its payment or order. */
export const deliveryCards = (
  deps: Pick<Deps, 'now'>,
  deliveries: readonly ListedDelivery[],
  endpoints: ReadonlyMap<string, TracedEndpoint>,
  staff: SignedIn,
): string[] =>
  deliveries.map(
    (delivery) => html`<article class="card">
    <h3><a href="${deliveryPath(delivery._id)}">${delivery.event}</a> to !${userText(lastUrl(delivery))} !${deliveryBadge(delivery.status)}</h3>
    <p class="lead">!${whatHappened(deps, delivery)}</p>
    !${requeueButton(delivery, endpoints.get(delivery.endpointId), staff, 'source')}
  </article>`,
  )

/** Returns the notice about an event that is still in the outbox. */
export const notYetSent = ({ event, createdAt }: { event: EventName; createdAt: Date }): string =>
  html`<p class="notice"><b>${event}</b> happened !${time(createdAt)}. It has not been sent to the endpoints yet.</p>`

/** Returns the notice about an event without a delivery. */
export const notSubscribed = (event: EventName, when = 'when it happened'): string =>
  html`<p class="notice">No active endpoint was subscribed to <b>${event}</b> ${when}, so nothing was sent.</p>`

/**
 * Returns a notice if a payment or order is test data that the clean-up (src/retention) may already have partly
 * deleted. Otherwise, returns null.
 */
export function cleanedAway(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  { sandbox, createdAt }: { sandbox: boolean; createdAt: Date },
): string | null {
  const isOld = now().getTime() - createdAt.getTime() > config.sandboxRetentionMs
  if (!sandbox || !isOld) return null
  return html`<p class="notice">This test data is older than the retention period. The clean-up deletes it, webhooks first.</p>`
}
