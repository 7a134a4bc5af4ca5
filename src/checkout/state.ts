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
