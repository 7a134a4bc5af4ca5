import { html } from 'ghtml'
import { isId, isOrderNumber } from '../../security/ids.ts'
import { withQuery } from './query.ts'
import { userText } from './words.ts'

export const deliveryPath = (id: string): string => `/admin/deliveries/${encodeURIComponent(id)}`
export const paymentPath = (reference: string): string => `/admin/payments/${encodeURIComponent(reference)}`
export const orderPath = (number: string): string => `/admin/orders/${encodeURIComponent(number)}`
export const endpointPath = (id: string): string => `/admin/endpoints/${encodeURIComponent(id)}`
/** Returns what kind of thing a delivery's event is about, and the path of its page. */
export function sourceOf(reference: string): { kind: string; path: string } {
  if (isId(reference)) return { kind: 'About endpoint', path: endpointPath(reference) }
  if (isOrderNumber(reference)) return { kind: 'Order', path: orderPath(reference) }
  return { kind: 'Payment', path: paymentPath(reference) }
}
export const businessPath = (id: string): string => `/admin/businesses/${encodeURIComponent(id)}`
export const accountPath = (name: string): string => `/admin/staff/account/${encodeURIComponent(name)}`
export const keyPath = (id: string): string => `/admin/keys/${encodeURIComponent(id)}`
export const reconciliationsPath = '/admin/reconciliations'
export const reconciliationPath = (id: string): string => `${reconciliationsPath}/${encodeURIComponent(id)}`

/** Returns the path of the audit trail with a filter. Blank fields are omitted. */
export const auditPath = (filter: Record<string, string>): string => withQuery('/admin/audit', filter)

/** Returns a link whose text people or endpoints have chosen. */
export const userLink = (path: string, text: string): string => html`<a href="${path}">!${userText(text)}</a>`
export const idLink = (path: string, id: string): string => html`<a class="id" href="${path}">${id}</a>`
export const businessLink = (id: string, name = id): string => userLink(businessPath(id), name)
