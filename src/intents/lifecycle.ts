import type { EventName } from '../../schemas/events.ts'
import type { Status } from '../../schemas/list-intents.ts'
import type { CancellationReason } from '../../schemas/payment-reasons.ts'
import type { Intent } from './intent.ts'

/** A transition of an intent: its old statuses, its new status, when it is allowed, and the event that it adds. */
export interface Transition {
  from: readonly Status[]
  to: Status
  event: EventName
  /** Returns an additional filter for the write, given the time of the write. */
  guard: (now: Date) => Record<string, unknown>
  /** The time of the transition, used as the intent's `updatedAt` and as the time of the event. */
  at: (intent: Pick<Intent, 'expiresAt' | 'updatedAt'>, now: Date) => Date
  /** The intent's `cancelsAt` after the transition. */
  cancelsAt: (intent: Pick<Intent, 'expiresAt'>) => Date | null
  cancellationReason: CancellationReason | null
}

/** `cancelsAt` of a PENDING intent while a payment holds it: the latest time that a Date can represent. */
export const neverCancels = new Date(8.64e15)
/** `cancelsAt` of an intent whose status is CANCELLED: it reads as CANCELLED at any time, by any clock. */
export const alreadyCancelled = new Date(0)

const atExpiry = ({ expiresAt }: Pick<Intent, 'expiresAt'>): Date => expiresAt

/** A filter: the intent has time left and no payment holds it, so the merchant may cancel it or simulate a payment. */
export const isFree = (now: Date) => ({ expiresAt: { $gt: now }, hold: null })

/**
 * The database times of two processes differ by less than this (src/mongo/database-time.ts). If an intent has less time
 * left, another process may already have returned it as expired, and a payment that starts now would contradict that.
 */
const maxClockSkewMs = 1000

/** Whether the intent has time left according to every process. */
export const isOpenEverywhere = ({ expiresAt }: Pick<Intent, 'expiresAt'>, now: Date): boolean =>
  expiresAt.getTime() > now.getTime() + maxClockSkewMs

/** A filter: the intent has time left according to every process and no payment holds it, so a payment may start. */
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
} as const satisfies Transition

/**
 * The life of an intent (SPEC 3). A status can change only as a row of this table describes. When a payment or a
 * PENDING refund ends, the write has an additional guard that identifies that payment or refund. `decline` is for a
 * failed payment that the customer may retry.
 */
export const transitions = {
  pay: {
    from: ['PENDING'],
    to: 'PAID',
    event: 'payment.confirmed',
    guard: anyTime,
    at: immediately,
    cancelsAt: () => null,
    cancellationReason: null,
  },
  decline: {
    from: ['PENDING'],
    to: 'PENDING',
    event: 'payment.failed',
    guard: anyTime,
    at: immediately,
    cancelsAt: atExpiry,
    cancellationReason: null,
  },
  fail: {
    from: ['PENDING'],
    to: 'FAILED',
    event: 'payment.failed',
    guard: anyTime,
    at: immediately,
    cancelsAt: () => null,
    cancellationReason: null,
  },
  refund: {
    from: ['PAID', 'REFUNDED'],
    to: 'REFUNDED',
    event: 'payment.refunded',
    guard: anyTime,
    at: immediately,
    cancelsAt: () => null,
    cancellationReason: null,
  },
  cancel,
  cancelByOperator: { ...cancel, cancellationReason: 'cancelled_by_operator' },
  expire: {
    from: ['PENDING'],
    to: 'CANCELLED',
    event: 'payment.expired',
    // Lists use the same field, so they show as CANCELLED exactly the intents that this transition may change.
    guard: (now) => ({ cancelsAt: { $lte: now } }),
    // The intent expired at `expiresAt`, however late this write is. A payment that held the intent may have ended
    // later.
    at: ({ expiresAt, updatedAt }) => (updatedAt > expiresAt ? updatedAt : expiresAt),
    cancelsAt: () => alreadyCancelled,
    cancellationReason: 'expired',
  },
} as const satisfies Record<string, Transition>

export type TransitionName = keyof typeof transitions

/** Whether a customer could still pay. PENDING is the only status that expires. */
export const isPending = (status: Status): boolean =>
  (transitions.expire.from as readonly Status[]).includes(status)

/** Whether the intent has been paid, so that money may be refunded. */
export const isRefundable = (status: Status): boolean =>
  (transitions.refund.from as readonly Status[]).includes(status)
