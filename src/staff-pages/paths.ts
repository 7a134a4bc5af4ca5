import { html } from 'ghtml'
import { spanQuery } from '../../schemas/requests.ts'
import { isolateText } from '../http/pages/text.ts'
import { readSpan, type TimeSpan } from '../input/span.ts'
import type { Deps } from '../platform/deps.ts'
import { isId, isOrderNumber } from '../platform/ids.ts'

export const pathsBelow = (folder: string) => (id: string) => `/admin/${folder}/${encodeURIComponent(id)}`

export const deliveryPath = pathsBelow('deliveries')
export const paymentPath = pathsBelow('payments')
export const orderPath = pathsBelow('orders')
export const endpointPath = pathsBelow('endpoints')
export const businessPath = pathsBelow('businesses')
export const accountPath = pathsBelow('staff/account')
export const personPath = pathsBelow('people/account')
export const keyPath = pathsBelow('keys')
export const reconciliationsPath = '/admin/reconciliations'
export const reconciliationPath = pathsBelow('reconciliations')
export const auditPath = (filter: Record<string, string>): string => withQuery('/admin/audit', filter)

export function resolveSource(reference: string): { kind: string; path: string } {
  if (isId(reference)) return { kind: 'About endpoint', path: endpointPath(reference) }
  if (isOrderNumber(reference)) return { kind: 'Order', path: orderPath(reference) }
  return { kind: 'Payment', path: paymentPath(reference) }
}

export const textLink = (path: string, text: string): string =>
  html`<a href="${path}">!${isolateText(text)}</a>`
export const idLink = (path: string, id: string): string => html`<a class="id" href="${path}">${id}</a>`
export const businessLink = (id: string, name = id): string => textLink(businessPath(id), name)

type Query = Readonly<Record<string, unknown>>

export const omitEmptyFields = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))

export function withQuery(path: string, fields: object): string {
  const query = new URLSearchParams(omitEmptyFields(fields) as Record<string, string>).toString()
  return query === '' ? path : `${path}?${query}`
}

/** Empty if the parameter is missing or repeated. */
export const readQueryText = (query: Query, name: string): string => {
  const value = query[name]
  return typeof value === 'string' ? value : ''
}

/** An empty field leaves that end open. Throws if a time is invalid. */
export const readFormSpan = (deps: Pick<Deps, 'validate'>, { from = '', to = '' }: Query): TimeSpan =>
  readSpan(deps.validate(spanQuery, omitEmptyFields({ from, to })))

export const spanFields = ({ from, to }: TimeSpan): Record<'from' | 'to', string> => ({
  from: from?.toISOString() ?? '',
  to: to?.toISOString() ?? '',
})
