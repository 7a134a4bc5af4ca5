import type { EventName } from '../../schemas/events.ts'
import type { Status } from '../../schemas/list-intents.ts'
import type { CancellationReason, Intent } from './intent.ts'

/** A move of the life of an intent: from where to where, what it tells the world, and when it is allowed. */
export interface Move {
  from: readonly Status[]
  to: Status
  event: EventName
  /** What else must hold at the moment of the write, as a filter. */
  guard: (now: Date) => Record<string, unknown>
  /** The instant the move counts from. */
  at: (intent: Pick<Intent, 'expiresAt'>, now: Date) => Date
  cancellationReason: CancellationReason
}

/** The life of an intent (SPEC 3). A status changes along a row of this table or not at all. */
export const moves = {
  cancel: {
    from: ['PENDING'],
    to: 'CANCELLED',
    event: 'payment.cancelled',
    guard: (now) => ({ expiresAt: { $gt: now } }),
    at: (_intent, now) => now,
    cancellationReason: 'requested_by_merchant',
  },
  expire: {
    from: ['PENDING'],
    to: 'CANCELLED',
    event: 'payment.expired',
    guard: (now) => ({ expiresAt: { $lte: now } }),
    // Its time was up then, however late somebody noticed.
    at: (intent) => intent.expiresAt,
    cancellationReason: 'expired',
  },
} as const satisfies Record<string, Move>

export type MoveName = keyof typeof moves

/** Whether a customer could still pay: the only status from which time runs out. */
export const isPending = (status: Status): boolean =>
  (moves.expire.from as readonly Status[]).includes(status)
