import type { Intent } from '../intents/intent.ts'
import type { State } from './state.ts'

/**
 * The merchant's URL that a customer goes back to, with `reference` and `status` at the end of its query; null where the merchant gave
 * none. What stands in it already is kept byte for byte, so that a signature over it holds, also parameters of these names.
 */
export function wayBack(
  { successUrl, cancelUrl, referenceNumber, status }: Intent,
  state: State,
): string | null {
  const url = state === 'paid' || state === 'refunded' ? successUrl : cancelUrl
  if (url === null) return null
  const [, page = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? []
  const kept = query === '' ? '' : `${query}&`
  return `${page}?${kept}reference=${referenceNumber}&status=${status}${fragment}`
}
