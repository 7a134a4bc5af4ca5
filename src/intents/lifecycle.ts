import type { EventName } from '../../schemas/events.ts'
import type { IntentStatus } from '../../schemas/intents.ts'
import type { CancellationReason } from '../../schemas/payment-reasons.ts'
import type { Intent } from './intent.ts'

export interface Transition {
  from: readonly IntentStatus[]
  to: IntentStatus
  event: EventName
  guard?: (now: Date) => Record<string, unknown>
  /** Defaults to the time of the write. */
  at?: (intent: Pick<Intent, 'expiresAt' | 'updatedAt'>) => Date
  cancellationReason?: CancellationReason
}

/** The latest time that Date supports. */
export const neverCancelsAt = new Date(8.64e15)
/** This time is in the past on any clock. */
export const alreadyCancelledAt = new Date(0)

export const changeableIntents = (now: Date) => ({ expiresAt: { $gt: now }, hold: null })

/** Another process may consider an intent expired this much earlier. */
const maxClockSkewMs = 1000

export const isSurelyUnexpired = ({ expiresAt }: Pick<Intent, 'expiresAt'>, now: Date): boolean =>
  expiresAt.getTime() > now.getTime() + maxClockSkewMs

/** No process considers these intents expired yet. */
export const payableFilter = (now: Date) => changeableIntents(new Date(now.getTime() + maxClockSkewMs))

const cancel = {
  from: ['PENDING'],
  to: 'CANCELLED',
  event: 'payment.cancelled',
  guard: changeableIntents,
  cancellationReason: 'requested_by_merchant',
} as const satisfies Transition

/** SPEC 3. No other code changes a status. */
export const transitions = {
  pay: { from: ['PENDING'], to: 'PAID', event: 'payment.confirmed' },
  decline: { from: ['PENDING'], to: 'PENDING', event: 'payment.failed' },
  fail: { from: ['PENDING'], to: 'FAILED', event: 'payment.failed' },
  refund: { from: ['PAID', 'REFUNDED'], to: 'REFUNDED', event: 'payment.refunded' },
  cancel,
  cancelByOperator: { ...cancel, cancellationReason: 'cancelled_by_operator' },
  expire: {
    from: ['PENDING'],
    to: 'CANCELLED',
    event: 'payment.expired',
    // Lists use this guard too, so they agree with the expiry.
    guard: (now) => ({ cancelsAt: { $lte: now } }),
    // A payment may have held the intent beyond `expiresAt`.
    at: ({ expiresAt, updatedAt }) => (updatedAt > expiresAt ? updatedAt : expiresAt),
    cancellationReason: 'expired',
  },
} as const satisfies Record<string, Transition>

export const cancelsAtOf = (to: IntentStatus, { expiresAt }: Pick<Intent, 'expiresAt'>): Date | null => {
  if (to === 'CANCELLED') return alreadyCancelledAt
  return to === 'PENDING' ? expiresAt : null
}

export const freesReference = (status: IntentStatus): boolean => ['CANCELLED', 'FAILED'].includes(status)

export type TransitionName = keyof typeof transitions

export const isPending = (status: IntentStatus): boolean =>
  (transitions.expire.from as readonly IntentStatus[]).includes(status)

export const isRefundable = (status: IntentStatus): boolean =>
  (transitions.refund.from as readonly IntentStatus[]).includes(status)
