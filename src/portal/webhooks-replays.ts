import type { Router } from 'express'
import { html } from 'ghtml'
import { readFormFields } from '../http/body/read-form.ts'
import { checkboxFields, inputField } from '../http/pages/forms.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import { sendJson } from '../http/pages/send-page.ts'
import { renderTable, type TableColumn } from '../http/pages/table.ts'
import { renderFactList, renderTime } from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import { addForm, type FormPage } from '../people-pages/form.ts'
import { type PersonPage, personPaging } from '../people-pages/frame.ts'
import { serveVisit } from '../people-pages/serve.ts'
import { hasRight, readShown, type Visit, writeShown } from '../people-pages/visit.ts'
import * as parts from './webhooks-parts.ts'

type ShownReplay = Shown<'getWebhookReplay'>

export function addReplayPages(router: Router): void {
  router.get(list, serveVisit('read-webhooks', showReplays))
  addForm(router, startForm)
  addForm(router, replayPage)
  router.get(`${list}/:replayId/state`, serveVisit('read-webhooks', sendState))
}

const list = '/webhooks/endpoints/:id/replays'
const replaysPath = (visit: Visit) => `${parts.endpointPath(visit, parts.idOf(visit))}/replays`
const paramsOf = (visit: Visit) => ({ id: parts.idOf(visit), replayId: String(visit.req.params['replayId']) })

async function showReplays(visit: Visit): Promise<PersonPage> {
  const { req, res, base } = visit
  const locale = parts.webhookLocaleOf(res)
  const { replay: words, createdAt: when, status } = locale.words
  const { id, url } = await parts.readEndpoint(visit)
  const read = { params: { id }, query: { page: req.query.page ?? '1' } }
  const { items, page, hasMore } = await readShown(visit, 'listWebhookReplays', read)
  const here = replaysPath(visit)
  const columns: TableColumn<ShownReplay>[] = [
    [when, ({ id: own, createdAt }) => html`<a href="${here}/${own}">!${renderTime(locale, createdAt)}</a>`],
    [status, (replay) => renderReplayStatus(locale, replay)],
    [words.progress, (replay) => html`${progressOf(locale, replay)}`],
  ]
  const next = hasMore ? String(page + 1) : null
  const start = html`<p><a class="button" href="${here}/new">${words.title}</a></p>`
  const body = html`<h1>${words.earlier}</h1>
<p><a href="${parts.endpointPath(visit, id)}">!${parts.renderUrl(url)}</a></p>
!${hasRight(visit, 'change-webhooks') ? start : ''}
!${items.length === 0 ? html`<p>${words.none}</p>` : renderTable(columns, items)}
!${personPaging(res, (after) => (after === '' ? here : `?page=${after}`), page === 1, next)}`
  return { title: words.earlier, current: `${base}/webhooks`, body }
}

const typedNames = ['from', 'to', 'onlyUndelivered'] as const

const startForm: FormPage<parts.ShownEndpoint> = {
  right: 'change-webhooks',
  path: `${list}/new`,
  back: replaysPath,
  messagesOf: parts.messagesOf,
  find: parts.readEndpoint,
  show({ req, res }, { url }, faults) {
    const { replay } = parts.webhookLocaleOf(res).words
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
    return { ...replay, about: html`<p>!${parts.renderUrl(url)}</p><p>${replay.about}</p>`, fields }
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

const renderReplayStatus = ({ words }: parts.WebhookLocale, { status }: ShownReplay) =>
  parts.renderBadge(words.replay.statuses[status], replayLooks[status])

const progressOf = ({ words }: parts.WebhookLocale, { requeued, created, skipped, total }: ShownReplay) =>
  words.madeOf(requeued + created + skipped, total)

const stateOfReplay = ({ status, requeued, created, skipped }: ShownReplay) =>
  `${status}.${requeued + created + skipped}`

const readReplay = (visit: Visit): Promise<ShownReplay> =>
  readShown(visit, 'getWebhookReplay', { params: paramsOf(visit) })

/** The script of the page polls it (people-pages/scripts/). */
const sendState = async (visit: Visit) =>
  sendJson(visit.res, { state: stateOfReplay(await readReplay(visit)) })

/** One replay, with the button that stops it. */
const replayPage: FormPage<ShownReplay> = {
  right: 'change-webhooks',
  readRight: 'read-webhooks',
  path: `${list}/:replayId`,
  back: replaysPath,
  find: readReplay,
  show(visit, replay) {
    const locale = parts.webhookLocaleOf(visit.res)
    const { words } = locale
    const texts = words.replay
    const here = `${replaysPath(visit)}/${replay.id}`
    const isRunning = replay.status === 'RUNNING'
    const reason = replay.cancellationReason
    const facts = renderFactList([
      [words.status, renderReplayStatus(locale, replay)],
      [texts.why, reason && html`${texts.reasons[reason]}`],
      [texts.progress, html`${progressOf(locale, replay)}`],
      [texts.skipped, html`${replay.skipped}`],
      [texts.from, renderTime(locale, replay.from)],
      [texts.to, renderTime(locale, replay.to)],
      [words.eventsOf, replay.events.map(parts.renderEvent).join(' ')],
      [texts.which, replay.onlyUndelivered ? html`${texts.only}` : null],
      [words.createdAt, renderTime(locale, replay.createdAt)],
      [texts.finishedAt, parts.timeOrNull(locale, replay.finishedAt)],
    ])
    const live = html`<div data-live="${here}/state" data-here="${here}" data-state="${stateOfReplay(replay)}"></div>
<p><a href="${here}">${texts.refresh}</a></p>`
    const about = html`<div class="card">!${facts}</div>!${isRunning ? live : ''}`
    return { title: texts.one, about, button: isRunning && texts.cancel, busy: texts.busy, isDanger: true }
  },
  async act(visit, { id }, keyOf) {
    const params = paramsOf(visit)
    await writeShown(visit, 'cancelWebhookReplay', { params, key: keyOf(id) })
    return { to: `${replaysPath(visit)}/${id}` }
  },
}
