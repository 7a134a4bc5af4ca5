import { html } from 'ghtml'
import type { DeliveryStatus } from '../../schemas/deliveries.ts'
import { type EventName, eventScopes } from '../../schemas/events.ts'
import type { FailureStage } from '../../schemas/responses/webhooks.ts'
import type { FormMessages } from '../http/pages/forms.ts'
import { renderTime } from '../http/pages/text.ts'
import type { Shown } from '../http/routes/routes.ts'
import { createPersonLocales } from '../people-pages/locale.ts'
import { readShown, type Visit } from '../people-pages/visit.ts'
import type { Refusal } from '../platform/errors.ts'
import { arabicWebhookTexts } from './words/webhooks/ar.ts'
import { englishWebhookTexts } from './words/webhooks/en.ts'
import { frenchWebhookTexts } from './words/webhooks/fr.ts'

export const webhookLocaleOf = createPersonLocales({
  fr: frenchWebhookTexts,
  ar: arabicWebhookTexts,
  en: englishWebhookTexts,
})
export type WebhookLocale = ReturnType<typeof webhookLocaleOf>

export const eventNames = Object.keys(eventScopes) as EventName[]

export type ShownEndpoint = Shown<'getWebhookEndpoint'>

export const idOf = ({ req }: Visit): string => String(req.params['id'])

export const readEndpoint = (visit: Visit): Promise<ShownEndpoint> =>
  readShown(visit, 'getWebhookEndpoint', { params: { id: idOf(visit) } })

export const endpointPath = ({ base }: Pick<Visit, 'base'>, id: string): string =>
  `${base}/webhooks/endpoints/${id}`

export const timeOrNull = (locale: WebhookLocale, at: string | null): string | null =>
  at === null ? null : renderTime(locale, at)

export const renderUrl = (url: string): string => html`<bdi dir="ltr" class="id">${url}</bdi>`

export const renderEvent = (event: string): string => html`<code dir="ltr">${event}</code>`

export const renderBadge = (text: string, look: string): string =>
  html`<span class="badge ${look}">${text}</span>`

export type EndpointState = 'off' | 'failing' | 'working' | 'unused'

export function stateOf({ active, health }: Pick<ShownEndpoint, 'active' | 'health'>): EndpointState {
  if (!active) return 'off'
  if (health.failuresInRow > 0) return 'failing'
  return health.lastSuccessAt === null ? 'unused' : 'working'
}

const stateLooks = { off: 'faint', failing: 'bad', working: 'good', unused: 'faint' } as const

export function renderState({ words }: WebhookLocale, endpoint: ShownEndpoint): string {
  const state = stateOf(endpoint)
  return renderBadge(words.states[state], stateLooks[state])
}

const statusLooks: Record<DeliveryStatus, string> = {
  PENDING: 'faint',
  RETRYING: 'wait',
  DELIVERED: 'good',
  DEAD: 'bad',
  CANCELLED: 'faint',
}

export const renderStatus = ({ words }: WebhookLocale, status: DeliveryStatus): string =>
  renderBadge(words.statuses[status], statusLooks[status])

/** What came of an attempt, e.g. `HTTP 500`. */
export const resultOf = (
  { words }: WebhookLocale,
  { status, error }: { status: number | null; error: string | null },
): string => {
  const response = status === null ? '' : words.httpStatus(status)
  if (error === null || error === 'status') return response
  const stage = words.stages[error as FailureStage]
  return response === '' ? stage : `${response} · ${stage}`
}

const limitScopes = ['replays', 'tests', 'audit', 'storage'] as const

/** Null if the person can't mend it on the form. */
export function messagesOf({ res }: Visit, { code, extras }: Refusal): FormMessages | null {
  const { refusals, faults, limits, replayRunning } = webhookLocaleOf(res).words
  const { param = '', details } = extras
  if (code === 'INVALID_WEBHOOK_URL') return { faults: { url: refusals[code] } }
  if (code === 'INVALID_WEBHOOK_EVENT' || code === 'EVENTS_NOT_PERMITTED')
    return { faults: { events: refusals[code] } }
  if (code === 'VALIDATION_ERROR' && Object.hasOwn(faults, param))
    return { faults: { [param]: faults[param as keyof typeof faults] } }
  if (code === 'MAX_ENDPOINTS_REACHED' || code === 'ENDPOINT_NOT_ACTIVE') return { notice: refusals[code] }
  const { scope, limit } = (details ?? {}) as { scope?: string; limit?: number }
  const limited = limitScopes.find((each) => each === scope)
  if (code !== 'RATE_LIMITED' || limited === undefined) return null
  return { notice: limited === 'replays' && limit === 1 ? replayRunning : limits[limited] }
}
