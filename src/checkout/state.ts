import type { Status } from '../../schemas/list-intents.ts'
import type { Intent } from '../intents/intent.ts'
import { isOpenEverywhere, isPending } from '../intents/lifecycle.ts'
import { asOf } from '../intents/present.ts'

/**
 * The state of a payment as shown on its page. A `pending` payment can be paid, and a `waiting` payment is being
 * processed. An `expired` payment can no longer be paid. A payment becomes `expired` one second before its intent
 * expires.
 */
export type State = 'pending' | 'waiting' | 'paid' | 'refunded' | 'cancelled' | 'expired' | 'failed'

const states: Record<Status, State> = {
  PENDING: 'pending',
  PAID: 'paid',
  REFUNDED: 'refunded',
  CANCELLED: 'cancelled',
  FAILED: 'failed',
}

export function stateOf(stored: Intent, now: Date): State {
  const { status, hold, cancellationReason } = asOf(stored, now)
  if (isPending(status) && hold !== null) return 'waiting'
  if (isPending(status) && !isOpenEverywhere(stored, now)) return 'expired'
  return cancellationReason === 'expired' ? 'expired' : states[status]
}

/** Returns whether the state can still change. */
export const isOpen = (state: State): state is 'pending' | 'waiting' => state === 'pending' || state === 'waiting'

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
