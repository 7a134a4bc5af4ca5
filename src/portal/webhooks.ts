import type { Router } from 'express'
import { html } from 'ghtml'
import { type DeliveryStatus, deliveryStatuses } from '../../schemas/deliveries.ts'
import type { FailureStage } from '../../schemas/responses/webhooks.ts'
import { inputField } from '../http/pages/forms.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { renderFactList, renderTime } from '../http/pages/text.ts'
import { addForm } from '../people-pages/form.ts'
import { type PersonPage, personPaging } from '../people-pages/frame.ts'
import { serveVisit } from '../people-pages/serve.ts'
import { hasRight, readShown, type Visit } from '../people-pages/visit.ts'
import { findFailingEndpoints } from '../webhooks/endpoints/find.ts'
import { deliveryPage, type ShownDelivery } from './webhooks-deliveries.ts'
import { addEndpointForms } from './webhooks-endpoints.ts'
import * as parts from './webhooks-parts.ts'
import { addReplayPages } from './webhooks-replays.ts'

export function addWebhookPages(router: Router): void {
  router.get('/webhooks', serveVisit('read-webhooks', showEndpoints))
  router.get('/webhooks/endpoints/:id', serveVisit('read-webhooks', showEndpoint))
  addEndpointForms(router)
  addForm(router, deliveryPage)
  addReplayPages(router)
}

/** Above the pages of people who can read about the endpoint. */
export async function endpointBanners(visit: Visit): Promise<string> {
  if (!hasRight(visit, 'read-webhooks')) return ''
  const { words } = parts.webhookLocaleOf(visit.res)
  const failing = await findFailingEndpoints(visit.deps, visit.caller)
  const banners = failing.map(
    ({ _id, url }) =>
      html`<p class="notice bad" role="status">${words.failing} <a href="${parts.endpointPath(visit, _id)}">!${parts.renderUrl(url)}</a></p>`,
  )
  return banners.join('')
}

async function showEndpoints(visit: Visit): Promise<PersonPage> {
  const { res, base } = visit
  const locale = parts.webhookLocaleOf(res)
  const { words } = locale
  const { items } = await readShown(visit, 'listWebhookEndpoints')
  const columns: TableColumn<parts.ShownEndpoint>[] = [
    [
      words.url,
      ({ id, url }) => html`<a href="${parts.endpointPath(visit, id)}">!${parts.renderUrl(url)}</a>`,
    ],
    [words.state, (endpoint) => parts.renderState(locale, endpoint)],
    [words.lastDay, (endpoint) => html`${words.lastDayOf(endpoint.last24Hours)}`],
    [words.lastSuccess, ({ health }) => parts.timeOrNull(locale, health.lastSuccessAt) ?? ''],
  ]
  const table = items.length === 0 ? html`<p>${words.noEndpoints}</p>` : renderTable(columns, items)
  const create = html`<p><a class="button" href="${base}/webhooks/new">${words.create.title}</a></p>`
  return {
    title: words.title,
    current: `${base}/webhooks`,
    body: html`<h1>${words.title}</h1><p>${words.about}</p>
!${table}
!${hasRight(visit, 'change-endpoints') ? create : ''}`,
  }
}

async function showEndpoint(visit: Visit): Promise<PersonPage> {
  const { res, base } = visit
  const locale = parts.webhookLocaleOf(res)
  const { words } = locale
  const data = await parts.readEndpoint(visit)
  const { url, events, headerNames, health, last24Hours, createdAt } = data
  const { lastSuccessAt, lastFailureAt, failuresInRow, lastError } = health
  const facts = renderFactList([
    [words.state, parts.renderState(locale, data)],
    [words.lastDay, html`${words.lastDayOf(last24Hours)}`],
    [words.lastSuccess, parts.timeOrNull(locale, lastSuccessAt)],
    [words.lastFailure, parts.timeOrNull(locale, lastFailureAt)],
    [words.lastError, lastError === null ? null : html`${words.stages[lastError as FailureStage]}`],
    [words.failuresInRow, failuresInRow === 0 ? null : html`${failuresInRow}`],
    [words.eventsOf, events.map(parts.renderEvent).join(' ')],
    [words.ownHeaders, headerNames.length === 0 ? null : headerNames.map(parts.renderEvent).join(' ')],
    [words.createdAt, renderTime(locale, createdAt)],
  ])
  return {
    title: words.endpoint,
    current: `${base}/webhooks`,
    body: html`<h1>${words.endpoint}</h1><p>!${parts.renderUrl(url)}</p>
<div class="card">!${facts}</div>
!${links(visit, data)}
!${await listDeliveries(visit, data)}`,
  }
}

function links(visit: Visit, { id }: parts.ShownEndpoint) {
  const { words } = parts.webhookLocaleOf(visit.res)
  const here = parts.endpointPath(visit, id)
  const shown = [
    ['/change', words.change.title, 'change-endpoints'],
    ['/test', words.test.title, 'change-webhooks'],
    ['/replays', words.replay.title, 'read-webhooks'],
    ['/rotate', words.rotate.title, 'change-endpoints'],
  ] as const
  const own = shown.filter(([, , right]) => hasRight(visit, right))
  return html`<ul class="links">!${own.map(([path, text]) => html`<li><a href="${here}${path}">${text}</a></li>`)}</ul>`
}

const isStatus = (text: unknown): text is DeliveryStatus =>
  (deliveryStatuses as readonly unknown[]).includes(text)

async function listDeliveries(visit: Visit, { id }: parts.ShownEndpoint) {
  const { req, res, base } = visit
  const locale = parts.webhookLocaleOf(res)
  const { words } = locale
  const { status, page = '1' } = req.query
  const chosen = isStatus(status) ? { status } : {}
  const query = { endpointId: id, page, ...chosen }
  const data = await readShown(visit, 'listWebhookDeliveries', { query })
  const columns: TableColumn<ShownDelivery>[] = [
    [
      words.createdAt,
      ({ id: own, createdAt }) =>
        html`<a href="${base}/webhooks/deliveries/${own}">!${renderTime(locale, createdAt)}</a>`,
    ],
    [words.event, ({ event }) => parts.renderEvent(event)],
    [words.subject, ({ referenceNumber }) => parts.renderUrl(referenceNumber)],
    [words.status, (delivery) => parts.renderStatus(locale, delivery.status)],
    [
      words.lastResult,
      ({ lastResponseStatus, lastError }) =>
        html`${parts.resultOf(locale, { status: lastResponseStatus, error: lastError })}`,
    ],
    [words.attempts, ({ attempts }) => html`${attempts ?? ''}`, 'number'],
  ]
  const pathOf = (next: string) =>
    `?${new URLSearchParams({ ...chosen, ...(next === '' ? {} : { page: next }) }).toString()}#deliveries`
  const next = data.hasMore ? String(data.page + 1) : null
  const choices = { '': words.anyStatus, ...words.statuses }
  return html`<h2 id="deliveries">${words.deliveries}</h2>
<form class="filter" method="get" action="#deliveries">
!${inputField('status', { label: words.status, choices, value: chosen.status })}
<button class="plain">${words.filter}</button></form>
!${data.items.length === 0 ? html`<p>${words.noDeliveries}</p>` : renderTable(columns, data.items)}
!${personPaging(res, pathOf, data.page === 1, next)}`
}
