import { html } from 'ghtml'
import type { DeliveryStatus } from '../../schemas/deliveries.ts'
import type { EventName } from '../../schemas/events.ts'
import { isolateText } from '../http/pages/text.ts'
import type { Deps } from '../platform/deps.ts'
import type { SignedInStaff } from '../staff/account.ts'
import { deliveryDisplay, endpointDisplay, type PageField } from '../staff-acts/shown.ts'
import { eventIdOf, hostOf, isLeased } from '../webhooks/deliveries/delivery.ts'
import {
  endpointsOfDeliveries,
  type ListedDelivery,
  maxDeliveriesShown,
  type StaffEndpoint,
} from '../webhooks/deliveries/look-up.ts'
import { deliveryUrl } from '../webhooks/deliveries/present.ts'
import { deliveryBadge, describeAttempt, endpointBadge, environmentBadge, renderTime } from './format.ts'
import { deliveryPath, endpointPath, idLink, resolveSource, textLink } from './paths.ts'
import { requeueButton } from './requeue.ts'
import { renderTable } from './table.ts'

export const deliveriesTable = (caption: string, deliveries: readonly ListedDelivery[]): string =>
  renderTable(deliveryColumns, deliveries, { caption })

const deliveryColumns: PageField<ListedDelivery>[] = [
  { ...deliveryDisplay.id, unit: 'user', html: ({ _id, event }) => textLink(deliveryPath(_id), event) },
  {
    label: 'Payment or order',
    html: ({ referenceNumber: id, sandbox }) =>
      html`!${idLink(resolveSource(id).path, id)} !${environmentBadge(sandbox)}`,
  },
  { label: 'Endpoint', unit: 'user', value: hostOf },
  { ...deliveryDisplay.status, html: ({ status }) => deliveryBadge(status) },
  { label: 'Last attempt', html: lastAttempt },
]

function lastAttempt({ attempts, attemptLog }: ListedDelivery) {
  const attempt = attemptLog.at(-1)
  if (attempt === undefined) return 'none yet'
  return html`${attempts}: !${isolateText(describeAttempt(attempt))}, !${renderTime(attempt.at)}`
}

export const healthField: PageField<Pick<StaffEndpoint, 'health'>> = {
  label: 'Health',
  html({ health }) {
    const { failuresInRow, lastError: stage, lastFailureAt, lastStatus: status, lastSuccessAt } = health
    const success =
      lastSuccessAt === null
        ? 'No successful delivery yet.'
        : html`Last success !${renderTime(lastSuccessAt)}.`
    if (failuresInRow === 0 || lastFailureAt === null) return success
    const times =
      failuresInRow === 1 ? 'The last attempt failed' : `The last ${failuresInRow} attempts failed`
    const why = stage === null ? '' : html`: ${describeAttempt({ status, stage, error: null })}`
    return html`<b>${times}</b>, most recently at !${renderTime(lastFailureAt)}!${why}. !${success}`
  },
}

export const endpointColumns: PageField<StaffEndpoint>[] = [
  { ...endpointDisplay.url, label: 'Endpoint', html: ({ _id, url }) => textLink(endpointPath(_id), url) },
  { label: 'State', html: endpointBadge },
  healthField,
]

type Sentence = (delivery: ListedDelivery, now: Date) => string

const sentences: Record<DeliveryStatus, Sentence> = {
  PENDING: (delivery, now) => html`No attempt yet. !${next(delivery, now)}`,
  RETRYING: (delivery, now) => html`!${last(delivery)} !${next(delivery, now)}`,
  DELIVERED: ({ deliveredAt, attemptLog }) =>
    html`Delivered!${deliveredAt === null ? '' : html` at !${renderTime(deliveredAt)}`}. The endpoint responded with status ${attemptLog.at(-1)?.status ?? '2xx'}.`,
  DEAD: (delivery) =>
    html`!${last(delivery)} That was attempt ${delivery.attempts}. No further attempts follow unless you re-queue the delivery.`,
  CANCELLED: (delivery) =>
    html`!${last(delivery)} The delivery was cancelled because the endpoint was deleted or disabled.`,
}

export function describeDelivery(deps: Pick<Deps, 'now'>, delivery: ListedDelivery): string {
  const now = deps.now()
  if (isLeased(delivery, now)) return html`An attempt is in progress now.`
  return sentences[delivery.status](delivery, now)
}

function last({ attemptLog, attempts }: ListedDelivery) {
  const attempt = attemptLog.at(-1)
  if (attempt === undefined) return attempts === 0 ? 'No attempt was made.' : ''
  return html`The last attempt, at !${renderTime(attempt.at)}, failed: <b>!${isolateText(describeAttempt(attempt))}</b>.`
}

function next({ nextAttemptAt, attempts }: ListedDelivery, now: Date) {
  const name = attempts === 0 ? 'The first attempt' : 'The next attempt'
  if (nextAttemptAt === null || nextAttemptAt <= now) return `${name} is due now.`
  return html`${name} is at !${renderTime(nextAttemptAt)}.`
}

interface EventSource {
  sandbox: boolean
  createdAt: Date
  outbox: readonly { id: string; event: EventName; createdAt: Date }[]
}

/** `happened` lists the events of the payment or order so far. */
export async function renderWebhooks(
  deps: Pick<Deps, 'Delivery' | 'Endpoint' | 'config' | 'now' | 'secrets'>,
  source: EventSource,
  happened: readonly EventName[],
  deliveries: readonly ListedDelivery[],
  staff: SignedInStaff,
): Promise<string> {
  const endpoints = await endpointsOfDeliveries(deps, deliveries)
  const cards = deliveries.map(
    (delivery) => html`<article class="card">
    <h3><a href="${deliveryPath(delivery._id)}">${delivery.event}</a> to !${isolateText(deliveryUrl(delivery))} !${deliveryBadge(delivery.status)}</h3>
    <p class="lead">!${describeDelivery(deps, delivery)}</p>
    !${requeueButton(delivery, endpoints.get(delivery.endpointId), staff, 'source')}
  </article>`,
  )
  const waiting = source.outbox.map(
    ({ event, createdAt }) =>
      html`<p class="notice"><b>${event}</b> happened at !${renderTime(createdAt)}. It has not been sent to the endpoints yet.</p>`,
  )
  return html`<h2>Webhooks</h2>!${waiting}!${missing(deps, source, happened, deliveries)}!${cards}`
}

function missing(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  { sandbox, createdAt, outbox }: EventSource,
  happened: readonly EventName[],
  deliveries: readonly ListedDelivery[],
) {
  if (sandbox && now().getTime() - createdAt.getTime() > config.sandboxRetentionMs)
    return html`<p class="notice">This test data is older than the retention period. The nightly clean-up deletes it, webhooks first.</p>`
  if (deliveries.length === maxDeliveriesShown)
    return html`<p class="notice">Only the first ${maxDeliveriesShown} deliveries are shown.</p>`
  // An event that was just sent may be in both the outbox and a delivery.
  const handled = new Map([
    ...outbox.map(({ id, event }) => [id, event] as const),
    ...deliveries.map(({ _id, event }) => [eventIdOf(_id), event] as const),
  ])
  const counts = (events: Iterable<string>) => Map.groupBy(events, (event) => event)
  const known = counts(handled.values())
  return [...counts(happened)]
    .map(([event, { length: times }]) => {
      const unsent = times - (known.get(event)?.length ?? 0)
      if (unsent < 1) return ''
      const when = times === 1 ? 'when it happened' : `${unsent} of the ${times} times that it happened`
      return html`<p class="notice">No active endpoint was subscribed to <b>${event}</b> ${when}, so nothing was sent.</p>`
    })
    .join('')
}
