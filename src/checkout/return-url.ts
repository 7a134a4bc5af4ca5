import type { Intent } from '../intents/intent.ts'
import type { State } from './state.ts'

/**
 * Returns the URL on the merchant's site to which the customer returns, with `reference` and `status` appended to its
 * query. Returns null if the merchant did not provide a URL. The rest of the URL is kept byte for byte, even if it
 * already contains parameters with these names. A signature over the rest of the URL therefore stays valid.
 */
export function returnUrl({ successUrl, cancelUrl, referenceNumber, status }: Intent, state: State): string | null {
  const url = state === 'paid' || state === 'refunded' ? successUrl : cancelUrl
  if (url === null) return null
  const [, page = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? []
  const kept = query === '' ? '' : `${query}&`
  return `${page}?${kept}reference=${referenceNumber}&status=${status}${fragment}`
}
