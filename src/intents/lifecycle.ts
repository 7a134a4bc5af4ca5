import type { EventName } from '../../schemas/events.ts'
import type { Status } from '../../schemas/intents.ts'
import type { CancellationReason } from '../../schemas/payment-reasons.ts'
import type { Intent } from './intent.ts'

/**
 * A transition of an intent. It defines the statuses from which the transition is possible, the new status, the
 * condition under which the transition is allowed, and the event that it adds.
 */
export interface Transition {
  from: readonly Status[]
  to: Status
  event: EventName
  /** Returns an additional filter that a write at the time `now` must match. */
  guard: (now: Date) => Record<string, unknown>
  /** Returns the time of the transition, which becomes the intent's `updatedAt` and the time of the event. */
  at: (intent: Pick<Intent, 'expiresAt' | 'updatedAt'>, now: Date) => Date
  /** Returns the intent's `cancelsAt` after the transition. */
  cancelsAt: (intent: Pick<Intent, 'expiresAt'>) => Date | null
  cancellationReason: CancellationReason | null
  /** Whether another intent can have the merchant's reference of this intent after the transition. */
  freesReference: boolean
}

/** The `cancelsAt` of a PENDING intent while a payment holds it: the latest time that a Date can represent. */
export const neverCancels = new Date(8.64e15)
/** The `cancelsAt` of an intent that is stored as CANCELLED. This time is in the past according to any clock. */
export const alreadyCancelled = new Date(0)

const atExpiry = ({ expiresAt }: Pick<Intent, 'expiresAt'>): Date => expiresAt

/**
 * Returns a filter for an intent that has not expired and that no payment holds. The merchant may cancel such an intent
 * or simulate a payment for it.
 */
export const isFree = (now: Date) => ({ expiresAt: { $gt: now }, hold: null })

/**
 * The database times of two processes differ by less than this (src/mongo/database-time.ts). If an intent has less than
 * this time left, another process may already have reported the intent as expired. A payment that starts now would
 * contradict that report.
 */
const maxClockSkewMs = 1000

/** Returns whether the intent has not expired yet according to the clock of every process. */
export const isOpenEverywhere = ({ expiresAt }: Pick<Intent, 'expiresAt'>, now: Date): boolean =>
  expiresAt.getTime() > now.getTime() + maxClockSkewMs

/**
 * Returns a filter for an intent that no payment holds and that has not expired yet according to the clock of every
 * process. Customers may pay such an intent.
 */
export const isPayable = (now: Date) => isFree(new Date(now.getTime() + maxClockSkewMs))

const anyTime = () => ({})
const immediately = (_intent: unknown, now: Date): Date => now

const cancel = {
  from: ['PENDING'],
  to: 'CANCELLED',
  event: 'payment.cancelled',
  guard: isFree,
  at: immediately,
  cancelsAt: () => alreadyCancelled,
  cancellationReason: 'requested_by_merchant',
  freesReference: true,
} as const satisfies Transition

/** What the transitions with which a payment or refund ends have in common. */
const settlement = {
  guard: anyTime,
  at: immediately,
  cancelsAt: () => null,
  cancellationReason: null,
  freesReference: false,
} as const

/**
 * The lifecycle of an intent (SPEC 3). The status of an intent changes only as defined in this table. When a payment or
 * a PENDING refund ends, the write has an additional guard that identifies this payment or refund. The transition
 * `decline` is for a failed payment that the customer may retry.
 */
export const transitions = {
  pay: {
    ...settlement,
    from: ['PENDING'],
    to: 'PAID',
    event: 'payment.confirmed',
  },
  decline: {
    ...settlement,
    from: ['PENDING'],
    to: 'PENDING',
    event: 'payment.failed',
    cancelsAt: atExpiry,
  },
  fail: {
    ...settlement,
    from: ['PENDING'],
    to: 'FAILED',
    event: 'payment.failed',
    freesReference: true,
  },
  refund: {
    ...settlement,
    from: ['PAID', 'REFUNDED'],
    to: 'REFUNDED',
    event: 'payment.refunded',
  },
  cancel,
  cancelByOperator: { ...cancel, cancellationReason: 'cancelled_by_operator' },
  expire: {
    from: ['PENDING'],
    to: 'CANCELLED',
    event: 'payment.expired',
    // Lists also use `cancelsAt` as a filter, so they show a PENDING intent as CANCELLED exactly when this transition
    // may change the intent.
    guard: (now) => ({ cancelsAt: { $lte: now } }),
    // The intent expired at `expiresAt`, even if this write happens much later. A payment that held the intent may have
    // ended after `expiresAt`.
    at: ({ expiresAt, updatedAt }) => (updatedAt > expiresAt ? updatedAt : expiresAt),
    cancelsAt: () => alreadyCancelled,
    cancellationReason: 'expired',
    freesReference: true,
  },
} as const satisfies Record<string, Transition>

export type TransitionName = keyof typeof transitions

/**
 * Returns whether a customer could still pay an intent with this status. PENDING is the only such status, and the only
 * one from which an intent can expire.
 */
export const isPending = (status: Status): boolean => (transitions.expire.from as readonly Status[]).includes(status)

/** Returns whether an intent with this status has been paid. Only then can its payment be refunded. */
export const isRefundable = (status: Status): boolean => (transitions.refund.from as readonly Status[]).includes(status)
