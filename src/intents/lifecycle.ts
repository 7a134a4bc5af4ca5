import type { EventName } from '../../schemas/events.ts'
import type { IntentStatus } from '../../schemas/intents.ts'
import type { CancellationReason } from '../../schemas/payment-reasons.ts'
import type { Intent } from './intent.ts'

export interface Transition {
  from: readonly IntentStatus[]
  to: IntentStatus
  event: EventName
  guard?: (now: Date) => Record<string, unknown>
  /** The time of the transition, if it isn't the time of its write. */
  at?: (intent: Pick<Intent, 'expiresAt' | 'updatedAt'>) => Date
  cancellationReason?: CancellationReason
}

/** `cancelsAt` while a payment holds the intent: the latest time that Date supports. */
export const neverCancelsAt = new Date(8.64e15)
/** `cancelsAt` of a CANCELLED intent: in the past on any clock. */
export const alreadyCancelledAt = new Date(0)

/** Merchants may cancel these intents, and simulate their payment. */
export const changeableFilter = (now: Date) => ({ expiresAt: { $gt: now }, hold: null })

/** This close to the expiry, another process may already report it (mongo/database-time.ts). */
const maxClockSkewMs = 1000

export const isSurelyUnexpired = ({ expiresAt }: Pick<Intent, 'expiresAt'>, now: Date): boolean =>
  expiresAt.getTime() > now.getTime() + maxClockSkewMs

/** Customers may pay these intents: no payment holds them, and no process considers them expired yet. */
export const payableFilter = (now: Date) => changeableFilter(new Date(now.getTime() + maxClockSkewMs))

const cancel = {
  from: ['PENDING'],
  to: 'CANCELLED',
  event: 'payment.cancelled',
  guard: changeableFilter,
  cancellationReason: 'requested_by_merchant',
} as const satisfies Transition

/** SPEC 3. No other code changes a status. Writes that end a payment or refund also guard on its id. */
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
    // Lists filter by this guard too, so they show an intent as CANCELLED exactly when it may expire.
    guard: (now) => ({ cancelsAt: { $lte: now } }),
    // The intent expired at `expiresAt`, however late this write comes, unless a payment held it for longer.
    at: ({ expiresAt, updatedAt }) => (updatedAt > expiresAt ? updatedAt : expiresAt),
    cancellationReason: 'expired',
  },
} as const satisfies Record<string, Transition>

/** An intent's `cancelsAt` after the transition `to` this status. */
export const cancelsAtOf = (to: IntentStatus, { expiresAt }: Pick<Intent, 'expiresAt'>): Date | null => {
  if (to === 'CANCELLED') return alreadyCancelledAt
  return to === 'PENDING' ? expiresAt : null
}

/** Another intent may then have the same merchant reference. */
export const freesReference = (status: IntentStatus): boolean => ['CANCELLED', 'FAILED'].includes(status)

export type TransitionName = keyof typeof transitions

export const isPending = (status: IntentStatus): boolean =>
  (transitions.expire.from as readonly IntentStatus[]).includes(status)

export const isRefundable = (status: IntentStatus): boolean =>
  (transitions.refund.from as readonly IntentStatus[]).includes(status)
