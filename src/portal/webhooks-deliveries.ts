import { html } from 'ghtml'
import { retriedStatuses } from '../../schemas/deliveries.ts'
import { renderFactList, renderTime } from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import type { FormPage } from '../people-pages/form.ts'
import { readShown, writeShown } from '../people-pages/visit.ts'
import * as parts from './webhooks-parts.ts'

export type ShownDelivery = Shown<'listWebhookDeliveries'>['items'][number]
type WholeDelivery = ShownDelivery & Shown<'getWebhookDelivery'>
type ShownAttempt = WholeDelivery['attemptLog'][number]

/** One delivery, with the button that sends it again. */
export const deliveryPage: FormPage<WholeDelivery> = {
  right: 'change-webhooks',
  readRight: 'read-webhooks',
  path: '/webhooks/deliveries/:id',
  messagesOf: parts.messagesOf,
  back: (visit, { endpointId }) => parts.endpointPath(visit, endpointId),
  find: (visit) =>
    readShown(visit, 'getWebhookDelivery', { params: { id: parts.idOf(visit) } }) as Promise<WholeDelivery>,
  show(visit, data) {
    const locale = parts.webhookLocaleOf(visit.res)
    const { words } = locale
    const { url, event, referenceNumber, status, attempts, maxAttempts, payload } = data
    const reference = event.startsWith('payment.')
      ? html`<a href="${visit.base}/payments/${referenceNumber}">!${parts.renderUrl(referenceNumber)}</a>`
      : parts.renderUrl(referenceNumber)
    const made =
      attempts === null || maxAttempts === null ? null : html`${words.madeOf(attempts, maxAttempts)}`
    const endpoint = parts.endpointPath(visit, data.endpointId)
    const facts = renderFactList([
      [words.status, parts.renderStatus(locale, status)],
      [words.event, parts.renderEvent(event)],
      [words.subject, reference],
      [words.endpoint, url && html`<a href="${endpoint}">!${parts.renderUrl(url)}</a>`],
      [words.createdAt, renderTime(locale, data.createdAt)],
      [words.attempts, made],
      [words.nextAttempt, parts.timeOrNull(locale, data.nextAttemptAt)],
      [words.deliveredAt, parts.timeOrNull(locale, data.deliveredAt)],
    ])
    const canRetry = url !== null && (retriedStatuses as readonly string[]).includes(status)
    const log = data.attemptLog.toReversed().map((each) => renderAttempt(locale, each))
    return {
      title: words.delivery,
      about: html`<div class="card">!${facts}</div>!${url === null ? html`<p class="notice">${words.liveEndpoint}</p>` : ''}`,
      button: canRetry && words.retry.title,
      busy: words.retry.busy,
      more: html`<h2>${words.attempts}</h2>
!${log.length === 0 ? html`<p>${words.noAttempts}</p>` : log}
!${data.lastAttemptHeaders === null ? '' : renderText(words.headersSent, linesOf(data.lastAttemptHeaders))}
!${payload === null ? '' : renderText(words.bodySent, JSON.stringify(payload, null, 2))}`,
      isWide: true,
    }
  },
  async act(visit, { id }, keyOf) {
    const { retry } = parts.webhookLocaleOf(visit.res).words
    type Retried = { reason: keyof typeof retry.reasons | null }
    const { reason } = await writeShown<Retried>(visit, 'retryWebhookDelivery', {
      params: { id },
      key: keyOf(id),
    })
    const [look, text] = reason === null ? ['good', retry.done] : ['wait', retry.reasons[reason]]
    return { success: html`<p class="notice ${look}" role="status">${text}</p>` }
  },
}

const linesOf = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

const renderText = (title: string, text: string) =>
  html`<details class="card" open><summary>${title}</summary><pre dir="ltr">${text}</pre></details>`

function renderAttempt(locale: parts.WebhookLocale, attempt: ShownAttempt) {
  const { words } = locale
  const { at, url, durationMs, responseStatus: status, error, message, responseBody } = attempt
  const response =
    responseBody === null || responseBody === '' ? '' : renderResponse(words.response, responseBody)
  return html`<div class="card"><p><strong class="${error === null ? 'good' : 'bad'}"><bdi>${parts.resultOf(locale, { status, error })}</bdi></strong>
· !${renderTime(locale, at)} · <bdi>${words.milliseconds(durationMs)}</bdi></p>
<p class="faint">!${parts.renderUrl(url)}</p>
!${message === null ? '' : html`<p><bdi dir="ltr">${message}</bdi></p>`}!${response}</div>`
}

const renderResponse = (title: string, text: string) =>
  html`<details><summary>${title}</summary><pre dir="ltr">${text}</pre></details>`
