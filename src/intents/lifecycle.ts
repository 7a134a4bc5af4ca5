import type { EventName } from '../../schemas/events.ts'
import type { Status } from '../../schemas/list-intents.ts'
import type { CancellationReason } from '../../schemas/payment-reasons.ts'
import type { Intent } from './intent.ts'

/** A move of the life of an intent: from where to where, what it tells the world, and when it is allowed. */
export interface Move {
  from: readonly Status[]
  to: Status
  event: EventName
  /** What else must hold at the moment of the write, as a filter. */
  guard: (now: Date) => Record<string, unknown>
  /** The instant the move counts from. */
  at: (intent: Pick<Intent, 'expiresAt' | 'updatedAt'>, now: Date) => Date
  /** `cancelsAt` of the intent after the transition. */
  cancelsAt: (intent: Pick<Intent, 'expiresAt'>) => Date | null
  cancellationReason: CancellationReason | null
}

/** `cancelsAt` of a PENDING intent while a payment holds it: the latest instant that a Date can be. */
export const neverCancels = new Date(8.64e15)
/** `cancelsAt` of an intent whose status is CANCELLED: it reads CANCELLED at every instant, by every clock. */
export const alreadyCancelled = new Date(0)

const whenTimeIsUp = ({ expiresAt }: Pick<Intent, 'expiresAt'>): Date => expiresAt
const isOver = () => alreadyCancelled
const notAnyMore = () => null

/** Time is left and nobody pays: the merchant may cancel, and simulate. As a filter. */
export const isFree = (now: Date) => ({ expiresAt: { $gt: now }, hold: null })

/**
 * Two processes disagree on database time by less than this (src/mongo/database-time.ts). With less time left, another process may already have
 * returned the intent as expired, and a payment that began now would contradict that.
 */
const apartAtMostMs = 1000

/** Whether the intent has time left according to every process. */
export const isOpenEverywhere = ({ expiresAt }: Pick<Intent, 'expiresAt'>, now: Date): boolean =>
  expiresAt.getTime() > now.getTime() + apartAtMostMs

/** The same, and nobody pays: a customer may begin. As a filter. */
export const isPayable = (now: Date) => isFree(new Date(now.getTime() + apartAtMostMs))

const anyTime = () => ({})
const atOnce = (_intent: unknown, now: Date): Date => now

const cancel = {
  from: ['PENDING'],
  to: 'CANCELLED',
  event: 'payment.cancelled',
  guard: isFree,
  at: atOnce,
  cancelsAt: isOver,
  cancellationReason: 'requested_by_merchant',
} as const satisfies Move

/**
 * The life of an intent (SPEC 3). A status changes along a row of this table or not at all. What ends a payment under way or a PENDING
 * refund names it in its own guard; `decline` tells of a payment that failed and may be tried again.
 */
export const moves = {
  pay: {
    from: ['PENDING'],
    to: 'PAID',
    event: 'payment.confirmed',
    guard: anyTime,
    at: atOnce,
    cancelsAt: notAnyMore,
    cancellationReason: null,
  },
  decline: {
    from: ['PENDING'],
    to: 'PENDING',
    event: 'payment.failed',
    guard: anyTime,
    at: atOnce,
    cancelsAt: whenTimeIsUp,
    cancellationReason: null,
  },
  fail: {
    from: ['PENDING'],
    to: 'FAILED',
    event: 'payment.failed',
    guard: anyTime,
    at: atOnce,
    cancelsAt: notAnyMore,
    cancellationReason: null,
  },
  refund: {
    from: ['PAID', 'REFUNDED'],
    to: 'REFUNDED',
    event: 'payment.refunded',
    guard: anyTime,
    at: atOnce,
    cancelsAt: notAnyMore,
    cancellationReason: null,
  },
  cancel,
  cancelByOperator: { ...cancel, cancellationReason: 'cancelled_by_operator' },
  expire: {
    from: ['PENDING'],
    to: 'CANCELLED',
    event: 'payment.expired',
    // Lists use the same field, so what they show as CANCELLED is what this transition may write.
    guard: (now) => ({ cancelsAt: { $lte: now } }),
    // Its time was up then, however late somebody noticed; after what a payment under way left to tell.
    at: ({ expiresAt, updatedAt }) => (updatedAt > expiresAt ? updatedAt : expiresAt),
    cancelsAt: isOver,
    cancellationReason: 'expired',
  },
} as const satisfies Record<string, Move>

export type MoveName = keyof typeof moves

/** Whether a customer could still pay: the only status from which time runs out. */
export const isPending = (status: Status): boolean =>
  (moves.expire.from as readonly Status[]).includes(status)

/** Whether there is money that could go back. */
export const isRefundable = (status: Status): boolean =>
  (moves.refund.from as readonly Status[]).includes(status)
