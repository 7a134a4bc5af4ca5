import type { Intent } from '../intents/intent.ts'
import { parseUrl } from '../parse-url.ts'
import type { State } from './state.ts'

const added = new Set(['reference', 'status'])

/**
 * The merchant's URL that a customer goes back to, with `reference` and `status` in its query; null where the merchant gave none. What
 * stands in it already is kept byte for byte, so that a signature over it holds; only parameters of these two names are replaced.
 */
export function wayBack(
  { successUrl, cancelUrl, referenceNumber, status }: Intent,
  state: State,
): string | null {
  const url = parseUrl((state === 'paid' || state === 'refunded' ? successUrl : cancelUrl) ?? '')
  if (url === null) return null
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !added.has(nameOf(pair)))
  url.search = [...kept, `reference=${referenceNumber}`, `status=${status}`].join('&')
  return url.href
}

const nameOf = (pair: string): string => [...new URLSearchParams(pair).keys()][0] ?? ''
