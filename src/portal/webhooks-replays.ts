import type { Router } from 'express'
import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import { checkboxFields, type FormMessages, inputField, titleOfForm } from '../http/pages/forms.ts'
import { renderTable } from '../http/pages/table.ts'
import { renderFactList } from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import { errorSummaryOf, type PersonPage, personPaging, renderPostForm } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { formKey, hasRight, readShown, type Visit, writeShown } from '../people-pages/visit.ts'
import { idOf, newFormInput, readEndpoint } from './webhooks-endpoints.ts'
import {
  endpointPath,
  momentOrNull,
  renderBadge,
  renderEvent,
  renderMoment,
  renderUrl,
  submitForm,
  type WebhookLocale,
  webhookLocaleOf,
} from './webhooks-parts.ts'

type ShownReplay = Shown<'getWebhookReplay'>

export function addReplayPages(router: Router): void {
  const list = '/webhooks/endpoints/:id/replays'
  router.get(
    list,
    serveVisit('read-webhooks', (visit) => showReplays(visit)),
  )
  router.post(list, serveVisit('change-webhooks', start))
  router.get(`${list}/:replayId`, serveVisit('read-webhooks', showReplay))
  router.get(`${list}/:replayId/state`, serveVisit('read-webhooks', sendState))
  router.post(`${list}/:replayId/cancel`, serveVisit('change-webhooks', cancel))
}

const replaysPath = (visit: Visit) => `${endpointPath(visit, idOf(visit))}/replays`
const paramsOf = (visit: Visit) => ({ id: idOf(visit), replayId: String(visit.req.params['replayId']) })

async function showReplays(visit: Visit, messages: FormMessages = {}): Promise<PersonPage> {
  const { req, res, base } = visit
  const locale = webhookLocaleOf(res)
  const { words } = locale
  const endpoint = await readEndpoint(visit)
  const read = { params: { id: endpoint.id }, query: { page: req.query.page ?? '1' } }
  const data = await readShown(visit, 'listWebhookReplays', read)
  const here = replaysPath(visit)
  const columns = [
    {
      label: words.createdAt,
      html: ({ id, createdAt }: ShownReplay) =>
        html`<a href="${here}/${id}">!${renderMoment(locale, createdAt)}</a>`,
    },
    { label: words.status, html: (replay: ShownReplay) => renderReplayStatus(locale, replay) },
    { label: words.replay.progress, html: (replay: ShownReplay) => html`${progressOf(locale, replay)}` },
  ]
  const next = data.hasMore ? String(data.page + 1) : null
  const paging = personPaging(res, (page) => (page === '' ? here : `?page=${page}`), data.page === 1, next)
  const form = hasRight(visit, 'change-webhooks') ? startForm(visit, messages) : ''
  return {
    title: titleOfForm(locale, words.replay.title, messages),
    current: `${base}/webhooks`,
    body: html`<h1>${words.replay.title}</h1>!${errorSummaryOf(res, messages, words.notDone)}
<p><a href="${endpointPath(visit, endpoint.id)}">!${renderUrl(endpoint.url)}</a></p>
<p>${words.replay.about}</p>
!${form}
<h2>${words.replay.earlier}</h2>
!${data.items.length === 0 ? html`<p>${words.replay.none}</p>` : renderTable(columns, data.items)}!${paging}`,
  }
}

const typedNames = ['from', 'to', 'onlyUndelivered'] as const

function startForm(visit: Visit, { faults = {} }: FormMessages) {
  const { from, to, onlyUndelivered } = readFormFields(visit.req, ...typedNames)
  const { replay } = webhookLocaleOf(visit.res).words
  const isFirst = visit.req.method === 'GET'
  const only = { name: 'onlyUndelivered', text: replay.only, isChosen: isFirst || onlyUndelivered !== '' }
  const fields = html`!${newFormInput()}
!${inputField('from', { label: replay.from, fault: faults.from, value: from, attributes: 'type="date"' })}
!${inputField('to', { label: replay.to, hint: replay.toHint, fault: faults.to, value: to, attributes: 'type="date"' })}
!${checkboxFields('which', { label: replay.which, choices: [only] })}`
  const button = html`<button>${replay.button}</button>`
  return renderPostForm(visit.member.person, replaysPath(visit), fields, button, replay.busy)
}

function start(visit: Visit): Promise<VisitResult> {
  const { req } = visit
  const { form, from, to, onlyUndelivered } = readFormFields(req, 'form', ...typedNames)
  const body = {
    ...(from === '' ? {} : { from }),
    ...(to === '' ? {} : { to }),
    onlyUndelivered: onlyUndelivered !== '',
  }
  const key = formKey(visit, form, 'replay', body)
  const params = { id: idOf(visit) }
  const act = async () => {
    const { id } = await writeShown<ShownReplay>(visit, 'replayWebhookEvents', {
      params,
      body,
      key,
    })
    return { to: `${replaysPath(visit)}/${id}` }
  }
  return submitForm(visit, act, (messages) => showReplays(visit, messages))
}

const replayLooks = { RUNNING: 'wait', DONE: 'good', CANCELLED: 'faint' } as const

const renderReplayStatus = ({ words }: WebhookLocale, { status }: ShownReplay) =>
  renderBadge(words.replay.statuses[status], replayLooks[status])

const progressOf = ({ words }: WebhookLocale, { requeued, created, skipped, total }: ShownReplay) =>
  words.madeOf(requeued + created + skipped, total)

const stateOfReplay = ({ status, requeued, created, skipped }: ShownReplay) =>
  `${status}.${requeued + created + skipped}`

const readReplay = (visit: Visit): Promise<ShownReplay> =>
  readShown(visit, 'getWebhookReplay', { params: paramsOf(visit) })

/** The script of the page polls it (people-pages/script.ts). */
async function sendState(visit: Visit): Promise<'sent'> {
  visit.res.json({ state: stateOfReplay(await readReplay(visit)) })
  return 'sent'
}

async function showReplay(visit: Visit): Promise<PersonPage> {
  const locale = webhookLocaleOf(visit.res)
  const { words } = locale
  const replay = await readReplay(visit)
  const here = `${replaysPath(visit)}/${replay.id}`
  const isRunning = replay.status === 'RUNNING'
  const reason = replay.cancellationReason
  const facts = renderFactList([
    [words.status, renderReplayStatus(locale, replay)],
    [words.replay.why, reason && html`${words.replay.reasons[reason]}`],
    [words.replay.progress, html`${progressOf(locale, replay)}`],
    [words.replay.skipped, html`${replay.skipped}`],
    [words.replay.from, renderMoment(locale, replay.from)],
    [words.replay.to, renderMoment(locale, replay.to)],
    [words.eventsOf, replay.events.map(renderEvent).join(' ')],
    [words.replay.which, replay.onlyUndelivered ? html`${words.replay.only}` : null],
    [words.createdAt, renderMoment(locale, replay.createdAt)],
    [words.replay.finishedAt, momentOrNull(locale, replay.finishedAt)],
  ])
  const live = html`<div data-live="${here}/state" data-here="${here}" data-state="${stateOfReplay(replay)}"></div>
<p><a href="${here}">${words.replay.refresh}</a></p>`
  const button = html`<button class="plain">${words.replay.cancel}</button>`
  const cancelForm = renderPostForm(
    visit.member.person,
    `${here}/cancel`,
    newFormInput(),
    button,
    words.replay.busy,
  )
  return {
    title: words.replay.one,
    current: `${visit.base}/webhooks`,
    isNarrow: true,
    body: html`<h1>${words.replay.one}</h1><div class="card">!${facts}</div>
!${isRunning ? live : ''}!${isRunning && hasRight(visit, 'change-webhooks') ? cancelForm : ''}
<p><a href="${replaysPath(visit)}">${words.replay.title}</a></p>`,
  }
}

async function cancel(visit: Visit): Promise<{ to: string }> {
  const { req } = visit
  const params = paramsOf(visit)
  const key = formKey(visit, readFormFields(req, 'form').form, 'cancel-replay')
  await writeShown(visit, 'cancelWebhookReplay', { params, key })
  return { to: `${replaysPath(visit)}/${params.replayId}` }
}
