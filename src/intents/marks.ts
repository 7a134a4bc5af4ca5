import { newMark, type WriteRequest } from '../idempotency/request.ts'
import { freshSince, isFresh } from '../idempotency/response.ts'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import type { Intent, IntentMark } from './intent.ts'

export interface Marking {
  mark: IntentMark
  arrivedAt: Date
}

export const markingOf = (
  request: Pick<WriteRequest, 'key' | 'paramsHash' | 'arrivedAt'>,
  at: Date,
  details: Pick<IntentMark, 'refundId' | 'payment'> = {},
): Marking => ({
  mark: { ...newMark(request, at), id: newId(), ...details },
  arrivedAt: request.arrivedAt,
})

export const ownMark = (
  { marks }: Pick<Intent, 'marks'>,
  { key, arrivedAt }: Pick<WriteRequest, 'key' | 'arrivedAt'>,
): IntentMark | null => marks.find((mark) => mark.key === key && isFresh(mark, arrivedAt)) ?? null

/** Matches an intent that no earlier request with this key has changed. */
export const unmarkedFilter = ({ mark: { key }, arrivedAt }: Marking) => ({
  marks: { $not: { $elemMatch: { key, at: { $gt: freshSince(arrivedAt) } } } },
})

export const markedFilter = ({ mark: { id } }: Marking) => ({ 'marks.id': id })

/** With this many fresh marks, an intent accepts no more payments or refunds. You can always cancel it. */
export const maxMarks = { payment: 1000, refund: 3000 } as const

/**
 * Whether there's space for the mark and the event of another payment. Customers can fail any number of times, and
 * without a relay each failure stays in the outbox. With the payment and all refunds, an outbox has up to 2,000 events,
 * less than 3 MiB.
 */
export const acceptsPayments = (intent: { waitingEvents: number; freshMarks: number }): boolean =>
  Math.max(intent.waitingEvents, intent.freshMarks) < maxMarks.payment

/** Removes marks that are over 24 hours old. Few intents have any, because most changes come soon after each other. */
export async function dropOldMarks(
  deps: Pick<Deps, 'batchers' | 'now'>,
  { _id, hasOldMarks }: Pick<Intent, '_id'> & { hasOldMarks: boolean },
  deadlineAt: number,
): Promise<void> {
  if (!hasOldMarks) return
  const old = { at: { $lte: freshSince(deps.now()) } }
  await deps.batchers.updateIntent(
    { filter: { _id }, update: { $pull: { marks: old } }, proof: {} },
    deadlineAt,
  )
}
