import type { Intent } from '../intents/intent.ts'
import type { State } from './state.ts'

/**
 * Returns the merchant's URL to which the customer returns, with `reference` and `status` at the end of its query, or
 * null if the merchant gave none. The rest of the URL stays the same byte for byte, even parameters with these names,
 * so that a signature over it stays valid.
 */
export function returnUrl(
  { successUrl, cancelUrl, referenceNumber, status }: Intent,
  state: State,
): string | null {
  const url = state === 'paid' || state === 'refunded' ? successUrl : cancelUrl
  if (url === null) return null
  const [, page = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? []
  const kept = query === '' ? '' : `${query}&`
  return `${page}?${kept}reference=${referenceNumber}&status=${status}${fragment}`
}
