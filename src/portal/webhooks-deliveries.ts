import type { Router } from 'express'
import { html } from 'ghtml'
import { retriedStatuses } from '../../schemas/deliveries.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { type FormMessages, renderHiddenInput } from '../http/pages/forms.ts'
import { renderFactList } from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import { errorSummaryOf, type PersonPage, renderPostForm } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { formKey, hasRight, readShown, type Visit, writeShown } from '../people-pages/visit.ts'
import { Refusal } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { idOf } from './webhooks-endpoints.ts'
import {
  endpointPath,
  messagesOf,
  momentOrNull,
  renderEvent,
  renderMoment,
  renderStatus,
  renderUrl,
  resultOf,
  type WebhookLocale,
  webhookLocaleOf,
} from './webhooks-parts.ts'

export type ShownDelivery = Shown<'listWebhookDeliveries'>['items'][number]
type WholeDelivery = ShownDelivery & Shown<'getWebhookDelivery'>
type ShownAttempt = WholeDelivery['attemptLog'][number]

export function addDeliveryPages(router: Router): void {
  const path = '/webhooks/deliveries/:id'
  router.get(
    path,
    serveVisit('read-webhooks', (visit) => showDelivery(visit)),
  )
  router.post(path, serveVisit('change-webhooks', retry))
}

async function showDelivery(visit: Visit, note = '', messages: FormMessages = {}): Promise<PersonPage> {
  const { res, base } = visit
  const locale = webhookLocaleOf(res)
  const { words } = locale
  const params = { id: idOf(visit) }
  const data = (await readShown(visit, 'getWebhookDelivery', { params })) as WholeDelivery
  const { url, event, referenceNumber, status, attempts, maxAttempts, payload } = data
  const reference = event.startsWith('payment.')
    ? html`<a href="${base}/payments/${referenceNumber}">!${renderUrl(referenceNumber)}</a>`
    : renderUrl(referenceNumber)
  const made = attempts === null || maxAttempts === null ? null : html`${words.madeOf(attempts, maxAttempts)}`
  const facts = renderFactList([
    [words.status, renderStatus(locale, status)],
    [words.event, renderEvent(event)],
    [words.subject, reference],
    [words.endpoint, url && html`<a href="${endpointPath(visit, data.endpointId)}">!${renderUrl(url)}</a>`],
    [words.createdAt, renderMoment(locale, data.createdAt)],
    [words.attempts, made],
    [words.nextAttempt, momentOrNull(locale, data.nextAttemptAt)],
    [words.deliveredAt, momentOrNull(locale, data.deliveredAt)],
  ])
  const attemptsShown = data.attemptLog.toReversed().map((each) => renderAttempt(locale, each))
  return {
    title: words.delivery,
    current: `${base}/webhooks`,
    body: html`<h1>${words.delivery}</h1>
!${errorSummaryOf(res, messages, words.notDone)}!${note}
<div class="card">!${facts}</div>
!${url === null ? html`<p class="notice">${words.liveEndpoint}</p>` : retryForm(visit, data)}
<h2>${words.attempts}</h2>
!${attemptsShown.length === 0 ? html`<p>${words.noAttempts}</p>` : attemptsShown}
!${data.lastAttemptHeaders === null ? '' : renderText(words.headersSent, linesOf(data.lastAttemptHeaders))}
!${payload === null ? '' : renderText(words.bodySent, JSON.stringify(payload, null, 2))}`,
  }
}

const linesOf = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

const renderText = (title: string, text: string) =>
  html`<details class="card" open><summary>${title}</summary><pre dir="ltr">${text}</pre></details>`

function renderAttempt(locale: WebhookLocale, attempt: ShownAttempt) {
  const { words } = locale
  const { at, url, durationMs, responseStatus: status, error, message, responseBody } = attempt
  const response =
    responseBody === null || responseBody === '' ? '' : renderResponse(words.response, responseBody)
  return html`<div class="card"><p><strong class="${error === null ? 'good' : 'bad'}"><bdi>${resultOf(locale, { status, error })}</bdi></strong>
· !${renderMoment(locale, at)} · <bdi>${words.milliseconds(durationMs)}</bdi></p>
<p class="faint">!${renderUrl(url)}</p>
!${message === null ? '' : html`<p><bdi dir="ltr">${message}</bdi></p>`}!${response}</div>`
}

const renderResponse = (title: string, text: string) =>
  html`<details><summary>${title}</summary><pre dir="ltr">${text}</pre></details>`

function retryForm(visit: Visit, { id, status }: ShownDelivery) {
  const canRetry = (retriedStatuses as readonly string[]).includes(status)
  if (!canRetry || !hasRight(visit, 'change-webhooks')) return ''
  const { title, busy } = webhookLocaleOf(visit.res).words.retry
  const path = `${visit.base}/webhooks/deliveries/${id}`
  return renderPostForm(
    visit.member.person,
    path,
    renderHiddenInput('form', newId()),
    html`<button>${title}</button>`,
    busy,
  )
}

async function retry(visit: Visit): Promise<VisitResult> {
  const { req, res } = visit
  const key = formKey(visit, readFormFields(req, 'form').form, 'retry')
  const { words } = webhookLocaleOf(res)
  type Retried = { reason: keyof typeof words.retry.reasons | null }
  const input = { params: { id: idOf(visit) }, key }
  try {
    const { reason } = await writeShown<Retried>(visit, 'retryWebhookDelivery', input)
    const [look, text] = reason === null ? ['good', words.retry.done] : ['wait', words.retry.reasons[reason]]
    return await showDelivery(visit, html`<p class="notice ${look}" role="status">${text}</p>`)
  } catch (error) {
    const messages = error instanceof Refusal ? messagesOf(visit, error) : null
    if (messages === null) throw error
    return { ...(await showDelivery(visit, '', messages)), status: (error as Refusal).statusCode }
  }
}
