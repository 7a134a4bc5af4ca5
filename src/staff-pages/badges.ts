import { html } from 'ghtml'
import type { DeliveryStatus } from '../../schemas/deliveries.ts'
import type { ApiKey } from '../businesses/api-key.ts'
import type { TracedEndpoint } from '../webhooks/deliveries/look-up.ts'

type Colour = 'good' | 'wait' | 'bad' | 'live' | 'faint'

export const badge = (colour: Colour, text: string): string =>
  html`<span class="badge ${colour}">${text}</span>`

export const environmentBadge = (sandbox: boolean): string =>
  sandbox ? badge('faint', 'sandbox') : badge('live', 'live')

const colours: Record<DeliveryStatus, Colour> = {
  PENDING: 'wait',
  RETRYING: 'wait',
  DELIVERED: 'good',
  DEAD: 'bad',
  CANCELLED: 'faint',
}

export const deliveryBadge = (status: DeliveryStatus): string => badge(colours[status], status)

/** Returns badges for an endpoint's environment, and whether it receives deliveries and was reported as failing. */
export function endpointBadge({ sandbox, active, deletedAt, reportedFailure }: TracedEndpoint): string {
  const environment = environmentBadge(sandbox)
  if (deletedAt !== null) return html`!${environment} !${badge('faint', 'deleted')}`
  const state = active ? badge('good', 'active') : badge('wait', 'disabled')
  const failing = reportedFailure === null ? '' : html` !${badge('bad', 'failing')}`
  return html`!${environment} !${state}!${failing}`
}

const keyColours: Record<ApiKey['status'], Colour> = { active: 'good', suspended: 'wait', revoked: 'faint' }

export const keyBadge = (status: ApiKey['status']): string => badge(keyColours[status], status)
