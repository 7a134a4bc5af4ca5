import { html } from 'ghtml'
import type { DeliveryStatus } from '../../../schemas/list-deliveries.ts'
import type { ApiKey } from '../../businesses/api-key.ts'
import type { TracedEndpoint } from '../../webhooks/deliveries/look-up.ts'

export const environmentBadge = (sandbox: boolean): string =>
  sandbox ? html`<span class="badge faint">sandbox</span>` : html`<span class="badge live">live</span>`

const colours: Record<DeliveryStatus, string> = {
  PENDING: 'wait',
  RETRYING: 'wait',
  DELIVERED: 'good',
  DEAD: 'bad',
  CANCELLED: 'faint',
}

export const deliveryBadge = (status: DeliveryStatus): string =>
  html`<span class="badge ${colours[status]}">${status}</span>`

/** Returns badges for an endpoint's environment, and whether it receives deliveries and was reported as failing. */
export function endpointBadge({ sandbox, active, deletedAt, reportedFailure }: TracedEndpoint): string {
  const environment = environmentBadge(sandbox)
  if (deletedAt !== null) return html`!${environment} <span class="badge faint">deleted</span>`
  const state = active ? html`<span class="badge good">active</span>` : html`<span class="badge wait">disabled</span>`
  const failing = reportedFailure === null ? '' : html` <span class="badge bad">failing</span>`
  return html`!${environment} !${state}!${failing}`
}

const keyColours: Record<ApiKey['status'], string> = { active: 'good', suspended: 'wait', revoked: 'faint' }

export const keyBadge = (status: ApiKey['status']): string =>
  html`<span class="badge ${keyColours[status]}">${status}</span>`
