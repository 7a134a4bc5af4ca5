import type { Router } from 'express'
import { html } from 'ghtml'
import type { EventName } from '../../schemas/events.ts'
import type { FailureStage } from '../../schemas/responses/webhooks.ts'
import { readFormFields } from '../http/body/read-form.ts'
import { checkboxFields, inputField } from '../http/pages/forms.ts'
import { isSafeMethod } from '../http/pages/own-origin.ts'
import { addForm, type Faults, type FormPage } from '../people-pages/form.ts'
import type { PersonPage } from '../people-pages/frame.ts'
import { type Visit, writeShown } from '../people-pages/visit.ts'
import { notePage, secretText } from './settings.ts'
import * as parts from './webhooks-parts.ts'

export function addEndpointForms(router: Router): void {
  addForm(router, createForm)
  for (const form of [changeForm, removeForm, rotateForm, testForm]) addForm(router, form)
}

const textsOf = ({ res }: Visit) => parts.webhookLocaleOf(res).words

interface Typed {
  url: string
  events: readonly EventName[]
  active: boolean
}

function readTyped({ req }: Visit): Typed {
  const { url, active } = readFormFields(req, 'url', 'active')
  const chosen = readFormFields(req, ...parts.eventNames)
  const events = parts.eventNames.filter((name) => chosen[name] !== '')
  return { url: url.trim(), events, active: active !== 'no' }
}

function typedFields(visit: Visit, { url, events }: Typed, faults: Faults) {
  const words = textsOf(visit)
  const attributes = 'type="url" dir="ltr" maxlength="2048" autocomplete="off" spellcheck="false"'
  const choices = parts.eventNames.map((name) => ({
    name,
    text: html`${words.eventTexts[name]} !${parts.renderEvent(name)}`,
    isChosen: events.includes(name),
  }))
  return html`!${inputField('url', { label: words.url, hint: words.urlHint, fault: faults.url, value: url, attributes })}
!${checkboxFields('events', { label: words.eventsOf, fault: faults.events, choices })}`
}

interface Secrets {
  id: string
  url: string
  secret: string
  standardSecret: string
}

const { messagesOf } = parts
const none: Typed = { url: '', events: ['payment.confirmed'], active: true }

const createForm: FormPage<object> = {
  right: 'change-endpoints',
  path: '/webhooks/new',
  messagesOf,
  find: async () => ({}),
  show(visit, _found, faults) {
    const { create, secretFollows, liveGetsBoth } = textsOf(visit)
    const both = visit.caller.sandbox ? '' : html`<p>${liveGetsBoth}</p>`
    const fields = typedFields(visit, isSafeMethod(visit.req) ? none : readTyped(visit), faults)
    return { ...create, about: html`<p>${secretFollows}</p>!${both}`, fields }
  },
  async act(visit, _found, keyOf) {
    const { url, events } = readTyped(visit)
    const input = { body: { url, events }, key: keyOf(url, events) }
    const made = await writeShown<Secrets>(visit, 'createWebhookEndpoint', input)
    return showSecret(visit, made, textsOf(visit).create.done)
  },
}

/** Within 24 hours, a repeat of the same form shows the same secret, as the API does. */
function showSecret(visit: Visit, { id, url, secret, standardSecret }: Secrets, title: string): PersonPage {
  const words = textsOf(visit)
  const more = html`<p>!${parts.renderUrl(url)}</p><h2>${words.secret}</h2>!${secretText(secret)}
<h2>${words.standardSecret}</h2>!${secretText(standardSecret)}
<p><a class="button" href="${parts.endpointPath(visit, id)}">${words.toEndpoint}</a></p>`
  return notePage(visit, { title, notice: words.secretOnce, more, list: '/webhooks' })
}

const path = '/webhooks/endpoints/:id'
const ofEndpoint = {
  messagesOf,
  find: parts.readEndpoint,
  back: (visit: Visit, { id }: parts.ShownEndpoint) => parts.endpointPath(visit, id),
}

type EndpointForm = FormPage<parts.ShownEndpoint>

const changeForm: EndpointForm = {
  ...ofEndpoint,
  right: 'change-endpoints',
  path: `${path}/change`,
  show(visit, endpoint, faults) {
    const { change, state: label, offHint: hint, onOff: choices, remove, headersStay } = textsOf(visit)
    const typed = isSafeMethod(visit.req) ? endpoint : readTyped(visit)
    const active = inputField('active', { label, hint, choices, value: typed.active ? 'yes' : 'no' })
    const kept = endpoint.headerNames.length === 0 ? '' : html`<p>${headersStay}</p>`
    const about = html`<p><a href="${parts.endpointPath(visit, endpoint.id)}/delete">${remove.title}</a></p>`
    return { ...change, about, fields: typedFields(visit, typed, faults) + kept + active }
  },
  async act(visit, { id }, keyOf) {
    const body = readTyped(visit)
    return {
      done: await writeShown(visit, 'updateWebhookEndpoint', { params: { id }, body, key: keyOf(body) }),
    }
  },
}

const removeForm: EndpointForm = {
  ...ofEndpoint,
  right: 'change-endpoints',
  path: `${path}/delete`,
  show(visit, { url }) {
    const { remove } = textsOf(visit)
    return { ...remove, about: html`<p>!${parts.renderUrl(url)}</p><p>${remove.about}</p>`, isDanger: true }
  },
  async act(visit, { id }, keyOf) {
    await writeShown(visit, 'deleteWebhookEndpoint', { params: { id }, key: keyOf(id) })
    return { to: `${visit.base}/webhooks` }
  },
}

const rotateForm: EndpointForm = {
  ...ofEndpoint,
  right: 'change-endpoints',
  path: `${path}/rotate`,
  show(visit, { url }) {
    const { rotate } = textsOf(visit)
    return { ...rotate, about: html`<p>!${parts.renderUrl(url)}</p><p>${rotate.about}</p>` }
  },
  async act(visit, { id }, keyOf) {
    const made = await writeShown<Secrets>(visit, 'rotateWebhookSecret', { params: { id }, key: keyOf(id) })
    return showSecret(visit, made, textsOf(visit).rotate.done)
  },
}

interface TestResult {
  delivered: boolean
  responseStatus: number | null
  durationMs: number
  error: FailureStage | null
}

const testForm: EndpointForm = {
  ...ofEndpoint,
  right: 'change-webhooks',
  path: `${path}/test`,
  isSlow: true,
  show(visit, { url, events }) {
    const { test, event: label } = textsOf(visit)
    const choices = Object.fromEntries(events.map((each) => [each, each]))
    const { event: value } = readFormFields(visit.req, 'event')
    const fields = inputField('event', { label, choices, value, attributes: 'dir="ltr"' })
    return { ...test, about: html`<p>!${parts.renderUrl(url)}</p><p>${test.about}</p>`, fields }
  },
  async act(visit, { id }, keyOf) {
    const { event } = readFormFields(visit.req, 'event')
    const input = { params: { id }, body: event === '' ? {} : { event }, key: keyOf(id, event) }
    return { success: renderResult(visit, await writeShown<TestResult>(visit, 'testWebhookEndpoint', input)) }
  },
}

function renderResult({ res }: Visit, { delivered, responseStatus: status, error, durationMs }: TestResult) {
  const locale = parts.webhookLocaleOf(res)
  const { accepted, failed } = locale.words.test
  const what = parts.resultOf(locale, { status, error })
  return html`<p class="notice ${delivered ? 'good' : 'bad'}" role="status"><strong>${delivered ? accepted : failed}</strong>
<bdi>${what}</bdi> · <bdi>${locale.words.milliseconds(durationMs)}</bdi></p>`
}
