import type { Status } from '../documents.ts'

/** The life of an intent (SPEC 3), restated: what it may become. */
const becomes: Record<Status, Status[]> = {
  PENDING: ['PAID', 'CANCELLED', 'FAILED'],
  PAID: ['REFUNDED'],
  REFUNDED: [],
  CANCELLED: [],
  FAILED: [],
}

/** Whether an intent that was the one may be the other later. */
export const mayBecome = (from: Status, to: Status): boolean =>
  from === to || becomes[from].some((next) => mayBecome(next, to))
