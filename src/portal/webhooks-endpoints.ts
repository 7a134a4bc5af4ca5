import type { Router } from 'express'
import { html } from 'ghtml'
import type { EventName } from '../../schemas/events.ts'
import type { FailureStage } from '../../schemas/responses/webhooks.ts'
import { readFormFields } from '../http/body/read-form.ts'
import {
  checkboxFields,
  type FormMessages,
  inputField,
  renderHiddenInput,
  titleOfForm,
} from '../http/pages/forms.ts'
import { errorSummaryOf, type PersonPage, renderPostForm } from '../people-pages/frame.ts'
import { serveVisit, type VisitResult } from '../people-pages/serve.ts'
import { formKey, readShown, type Visit, writeShown } from '../people-pages/visit.ts'
import { newId } from '../platform/ids.ts'
import {
  endpointPath,
  eventNames,
  renderEvent,
  renderUrl,
  resultOf,
  type ShownEndpoint,
  submitForm,
  webhookLocaleOf,
} from './webhooks-parts.ts'

interface Typed {
  url: string
  events: readonly EventName[]
  active: boolean
}

interface Secrets {
  id: string
  url: string
  secret: string
  standardSecret: string
}

interface TestResult {
  event: EventName
  delivered: boolean
  responseStatus: number | null
  durationMs: number
  error: FailureStage | null
}

export function addEndpointForms(router: Router): void {
  router.get(
    '/webhooks/new',
    serveVisit('change-secrets', (visit) => showNew(visit)),
  )
  router.post('/webhooks/new', serveVisit('change-secrets', create))
  const path = '/webhooks/endpoints/:id'
  router.get(
    `${path}/change`,
    serveVisit('change-webhooks', (visit) => showChange(visit)),
  )
  router.post(`${path}/change`, serveVisit('change-webhooks', change))
  router.post(`${path}/delete`, serveVisit('change-webhooks', remove))
  router.get(
    `${path}/rotate`,
    serveVisit('change-secrets', (visit) => showRotate(visit)),
  )
  router.post(`${path}/rotate`, serveVisit('change-secrets', rotate))
  router.get(
    `${path}/test`,
    serveVisit('change-webhooks', (visit) => showTest(visit)),
  )
  router.post(`${path}/test`, serveVisit('change-webhooks', sendTest, { isSlow: true }))
}

export const idOf = ({ req }: Visit): string => String(req.params['id'])

export const readEndpoint = (visit: Visit): Promise<ShownEndpoint> =>
  readShown(visit, 'getWebhookEndpoint', { params: { id: idOf(visit) } })

function readTyped({ req }: Visit): Typed {
  const { url, active } = readFormFields(req, 'url', 'active')
  const chosen = readFormFields(req, ...eventNames)
  return {
    url: url.trim(),
    events: eventNames.filter((name) => chosen[name] !== ''),
    active: active !== 'no',
  }
}

/** The id in each form makes a double submit act once. */
export const newFormInput = (): string => renderHiddenInput('form', newId())

const keyOf = (visit: Visit, ...values: readonly unknown[]) =>
  formKey(visit, readFormFields(visit.req, 'form').form, ...values)

function typedFields({ res }: Visit, { url, events }: Typed, { faults = {} }: FormMessages) {
  const { words } = webhookLocaleOf(res)
  const attributes = 'type="url" dir="ltr" maxlength="2048" autocomplete="off" spellcheck="false"'
  const choices = eventNames.map((name) => ({
    name,
    text: html`${words.eventTexts[name]} !${renderEvent(name)}`,
    isChosen: events.includes(name),
  }))
  return html`!${newFormInput()}
!${inputField('url', { label: words.url, hint: words.urlHint, fault: faults.url, value: url, attributes })}
!${checkboxFields('events', { label: words.eventsOf, fault: faults.events, choices })}`
}

function formPage(visit: Visit, title: string, messages: FormMessages, body: string): PersonPage {
  const { res, base } = visit
  const locale = webhookLocaleOf(res)
  const shown = html`<h1>${title}</h1>!${errorSummaryOf(res, messages, locale.words.notDone)}!${body}`
  return {
    title: titleOfForm(locale, title, messages),
    current: `${base}/webhooks`,
    isNarrow: true,
    body: shown,
  }
}

const none: Typed = { url: '', events: ['payment.confirmed'], active: true }

async function showNew(visit: Visit, typed = none, messages: FormMessages = {}): Promise<PersonPage> {
  const { member, res, base, caller } = visit
  const { words } = webhookLocaleOf(res)
  const button = html`<button>${words.create.button}</button>`
  const fields = typedFields(visit, typed, messages)
  const form = renderPostForm(member.person, `${base}/webhooks/new`, fields, button, words.create.busy)
  const both = caller.sandbox ? '' : html`<p>${words.liveGetsBoth}</p>`
  return formPage(visit, words.create.title, messages, html`<p>${words.secretFollows}</p>!${both}!${form}`)
}

function create(visit: Visit): Promise<VisitResult> {
  const { res } = visit
  const typed = readTyped(visit)
  const { url, events } = typed
  const key = keyOf(visit, 'create', url, events)
  const act = async () => {
    const body = { url, events }
    const made = await writeShown<Secrets>(visit, 'createWebhookEndpoint', { body, key })
    return showSecret(visit, made, webhookLocaleOf(res).words.create.done)
  }
  return submitForm(visit, act, (messages) => showNew(visit, typed, messages))
}

/** Within 24 hours, a repeat of the same form shows the same secret, as the API does. */
function showSecret(visit: Visit, { id, url, secret, standardSecret }: Secrets, done: string): PersonPage {
  const { words } = webhookLocaleOf(visit.res)
  const body = html`<p>!${renderUrl(url)}</p>
<p class="notice wait">${words.secretOnce}</p>
<h2>${words.secret}</h2><p class="secret"><code dir="ltr">${secret}</code></p>
<h2>${words.standardSecret}</h2><p class="secret"><code dir="ltr">${standardSecret}</code></p>
<p><a class="button" href="${endpointPath(visit, id)}">${words.toEndpoint}</a></p>`
  return formPage(visit, done, {}, body)
}

async function showChange(visit: Visit, typed?: Typed, messages: FormMessages = {}): Promise<PersonPage> {
  const { member, res } = visit
  const { words } = webhookLocaleOf(res)
  const endpoint = await readEndpoint(visit)
  const here = endpointPath(visit, endpoint.id)
  const shown = typed ?? endpoint
  const active = inputField('active', {
    label: words.state,
    hint: words.offHint,
    choices: words.onOff,
    value: shown.active ? 'yes' : 'no',
  })
  const kept = endpoint.headerNames.length === 0 ? '' : html`<p>${words.headersStay}</p>`
  const fields = typedFields(visit, shown, messages) + kept + active
  const button = html`<button>${words.change.button}</button>`
  const danger = html`<p>${words.remove.about}</p><button class="danger">${words.remove.button}</button>`
  const body = html`!${renderPostForm(member.person, `${here}/change`, fields, button, words.change.busy)}
<h2>${words.remove.title}</h2>
!${renderPostForm(member.person, `${here}/delete`, newFormInput(), danger, words.remove.busy)}
!${backTo(visit, endpoint)}`
  return formPage(visit, words.change.title, messages, body)
}

const backTo = (visit: Visit, { id }: Pick<ShownEndpoint, 'id'>) =>
  html`<p><a href="${endpointPath(visit, id)}">${webhookLocaleOf(visit.res).words.toEndpoint}</a></p>`

function change(visit: Visit): Promise<VisitResult> {
  const [id, body] = [idOf(visit), readTyped(visit)]
  const key = keyOf(visit, 'change', body)
  const act = async () => {
    await writeShown(visit, 'updateWebhookEndpoint', { params: { id }, body, key })
    return { to: endpointPath(visit, id) }
  }
  return submitForm(visit, act, (messages) => showChange(visit, body, messages))
}

function remove(visit: Visit): Promise<VisitResult> {
  const { base } = visit
  const params = { id: idOf(visit) }
  const key = keyOf(visit, 'delete')
  const act = async () => {
    await writeShown(visit, 'deleteWebhookEndpoint', { params, key })
    return { to: `${base}/webhooks` }
  }
  return submitForm(visit, act, (messages) => showChange(visit, undefined, messages))
}

async function showRotate(visit: Visit, messages: FormMessages = {}): Promise<PersonPage> {
  const { words } = webhookLocaleOf(visit.res)
  const { id, url } = await readEndpoint(visit)
  const button = html`<button>${words.rotate.button}</button>`
  const path = `${endpointPath(visit, id)}/rotate`
  const form = renderPostForm(visit.member.person, path, newFormInput(), button, words.rotate.busy)
  const body = html`<p>!${renderUrl(url)}</p><p>${words.rotate.about}</p>!${form}!${backTo(visit, { id })}`
  return formPage(visit, words.rotate.title, messages, body)
}

function rotate(visit: Visit): Promise<VisitResult> {
  const { res } = visit
  const params = { id: idOf(visit) }
  const key = keyOf(visit, 'rotate')
  const act = async () => {
    const made = await writeShown<Secrets>(visit, 'rotateWebhookSecret', { params, key })
    return showSecret(visit, made, webhookLocaleOf(res).words.rotate.done)
  }
  return submitForm(visit, act, (messages) => showRotate(visit, messages))
}

async function showTest(visit: Visit, result = '', messages: FormMessages = {}): Promise<PersonPage> {
  const { words } = webhookLocaleOf(visit.res)
  const { id, url, events } = await readEndpoint(visit)
  const { event } = readFormFields(visit.req, 'event')
  const choices = Object.fromEntries(events.map((each) => [each, each]))
  const select = inputField('event', { label: words.event, choices, value: event, attributes: 'dir="ltr"' })
  const button = html`<button>${words.test.button}</button>`
  const path = `${endpointPath(visit, id)}/test`
  const form = renderPostForm(visit.member.person, path, newFormInput() + select, button, words.test.busy)
  const body = html`!${result}<p>!${renderUrl(url)}</p><p>${words.test.about}</p>!${form}!${backTo(visit, { id })}`
  return formPage(visit, words.test.title, messages, body)
}

function sendTest(visit: Visit): Promise<VisitResult> {
  const { req } = visit
  const params = { id: idOf(visit) }
  const { event } = readFormFields(req, 'event')
  const body = event === '' ? {} : { event }
  const key = keyOf(visit, 'test', event)
  const act = async () => {
    const sent = await writeShown<TestResult>(visit, 'testWebhookEndpoint', { params, body, key })
    return showTest(visit, renderResult(visit, sent))
  }
  return submitForm(visit, act, (messages) => showTest(visit, '', messages))
}

function renderResult({ res }: Visit, { delivered, responseStatus: status, error, durationMs }: TestResult) {
  const locale = webhookLocaleOf(res)
  const { accepted, failed } = locale.words.test
  const what = resultOf(locale, { status, error })
  return html`<p class="notice ${delivered ? 'good' : 'bad'}" role="status"><strong>${delivered ? accepted : failed}</strong>
<bdi>${what}</bdi> · <bdi>${locale.words.milliseconds(durationMs)}</bdi></p>`
}
