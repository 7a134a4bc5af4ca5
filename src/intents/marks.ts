import { newMark, type WriteRequest } from '../idempotency/request.ts'
import { freshSince, isFresh } from '../idempotency/response.ts'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import type { Intent, IntentMark } from './intent.ts'

/** A mark to write, and when the request arrived that leaves it. */
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

/** Returns the mark of an earlier request with the same key. */
export const ownMark = (
  { marks }: Pick<Intent, 'marks'>,
  { key, arrivedAt }: Pick<WriteRequest, 'key' | 'arrivedAt'>,
): IntentMark | null => marks.find((mark) => mark.key === key && isFresh(mark, arrivedAt)) ?? null

/** Matches an intent that no earlier request with the same key has changed. */
export const unlessMarked = ({ mark: { key }, arrivedAt }: Marking) => ({
  marks: { $not: { $elemMatch: { key, at: { $gt: freshSince(arrivedAt) } } } },
})

/** Matches an intent once the mark has been written. */
export const isMarked = ({ mark: { id } }: Marking) => ({ 'marks.id': id })

/** With this many fresh marks, an intent accepts no more payments, or no more refunds. It can always be cancelled. */
export const maxMarks = { payment: 1000, refund: 3000 } as const

/**
 * Returns whether an intent has space for the mark and the event of another payment. A customer may fail to pay any
 * number of times, and while no relay runs, each failure stays in the outbox. With one payment and all refunds, an
 * outbox therefore has about 2 000 events, which take up less than 3 MiB.
 */
export const acceptsPayments = (intent: { waitingEvents: number; freshMarks: number }): boolean =>
  Math.max(intent.waitingEvents, intent.freshMarks) < maxMarks.payment

/** Removes the marks that count for nothing any more. Few intents have any, because most changes follow soon. */
export async function dropOldMarks(
  deps: Pick<Deps, 'batchers' | 'now'>,
  { _id, hasOldMarks }: Pick<Intent, '_id'> & { hasOldMarks: boolean },
  deadlineAt: number,
): Promise<void> {
  if (!hasOldMarks) return
  const old = { at: { $lte: freshSince(deps.now()) } }
  await deps.batchers.updateIntent({ filter: { _id }, update: { $pull: { marks: old } }, proof: {} }, deadlineAt)
}
