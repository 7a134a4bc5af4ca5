import type { Router } from 'express'
import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import { checkboxFields, inputField, renderHiddenInput } from '../http/pages/forms.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { renderFactList } from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import { addForm, type FormPage } from '../people-pages/form.ts'
import { type PersonPage, personPaging, renderPostForm } from '../people-pages/frame.ts'
import { serveVisit } from '../people-pages/serve.ts'
import { formKey, hasRight, readShown, type Visit, writeShown } from '../people-pages/visit.ts'
import { newId } from '../platform/ids.ts'
import { idOf, readEndpoint } from './webhooks-endpoints.ts'
import {
  endpointPath,
  messagesOf,
  momentOrNull,
  renderBadge,
  renderEvent,
  renderMoment,
  renderUrl,
  type ShownEndpoint,
  type WebhookLocale,
  webhookLocaleOf,
} from './webhooks-parts.ts'

type ShownReplay = Shown<'getWebhookReplay'>

export function addReplayPages(router: Router): void {
  router.get(list, serveVisit('read-webhooks', showReplays))
  addForm(router, startForm)
  router.get(`${list}/:replayId`, serveVisit('read-webhooks', showReplay))
  router.get(`${list}/:replayId/state`, serveVisit('read-webhooks', sendState))
  router.post(`${list}/:replayId/cancel`, serveVisit('change-webhooks', cancel))
}

const list = '/webhooks/endpoints/:id/replays'
const replaysPath = (visit: Visit) => `${endpointPath(visit, idOf(visit))}/replays`
const paramsOf = (visit: Visit) => ({ id: idOf(visit), replayId: String(visit.req.params['replayId']) })

async function showReplays(visit: Visit): Promise<PersonPage> {
  const { req, res, base } = visit
  const locale = webhookLocaleOf(res)
  const { replay: words, createdAt: when, status } = locale.words
  const { id, url } = await readEndpoint(visit)
  const read = { params: { id }, query: { page: req.query.page ?? '1' } }
  const { items, page, hasMore } = await readShown(visit, 'listWebhookReplays', read)
  const here = replaysPath(visit)
  const columns: TableColumn<ShownReplay>[] = [
    {
      label: when,
      html: ({ id: own, createdAt }) =>
        html`<a href="${here}/${own}">!${renderMoment(locale, createdAt)}</a>`,
    },
    { label: status, html: (replay) => renderReplayStatus(locale, replay) },
    { label: words.progress, html: (replay) => html`${progressOf(locale, replay)}` },
  ]
  const next = hasMore ? String(page + 1) : null
  const start = html`<p><a class="button" href="${here}/new">${words.title}</a></p>`
  const body = html`<h1>${words.earlier}</h1>
<p><a href="${endpointPath(visit, id)}">!${renderUrl(url)}</a></p>
!${hasRight(visit, 'change-webhooks') ? start : ''}
!${items.length === 0 ? html`<p>${words.none}</p>` : renderTable(columns, items)}
!${personPaging(res, (after) => (after === '' ? here : `?page=${after}`), page === 1, next)}`
  return { title: words.earlier, current: `${base}/webhooks`, body }
}

const typedNames = ['from', 'to', 'onlyUndelivered'] as const

const startForm: FormPage<ShownEndpoint> = {
  right: 'change-webhooks',
  path: `${list}/new`,
  back: replaysPath,
  messagesOf,
  find: readEndpoint,
  show({ req, res }, { url }, faults) {
    const { replay } = webhookLocaleOf(res).words
    const typed = readFormFields(req, ...typedNames)
    const isChosen = isSafeMethod(req) || typed.onlyUndelivered !== ''
    const day = (name: 'from' | 'to', hint?: string) =>
      inputField(name, {
        label: replay[name],
        hint,
        fault: faults[name],
        value: typed[name],
        attributes: 'type="date"',
      })
    const only = { name: 'onlyUndelivered', text: replay.only, isChosen }
    const fields =
      day('from') +
      day('to', replay.toHint) +
      checkboxFields('which', { label: replay.which, choices: [only] })
    return { ...replay, about: html`<p>!${renderUrl(url)}</p><p>${replay.about}</p>`, fields }
  },
  async act(visit, { id }, keyOf) {
    const { from, to, onlyUndelivered } = readFormFields(visit.req, ...typedNames)
    const days = { ...(from !== '' && { from }), ...(to !== '' && { to }) }
    const body = { ...days, onlyUndelivered: onlyUndelivered !== '' }
    const input = { params: { id }, body, key: keyOf(id, body) }
    const made = await writeShown<ShownReplay>(visit, 'replayWebhookEvents', input)
    return { to: `${replaysPath(visit)}/${made.id}` }
  },
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
    renderHiddenInput('form', newId()),
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
