import type { Deps } from '../deps.ts'
import type { Intent } from './intent.ts'
import { moves } from './lifecycle.ts'
import { nudgeRelay } from './nudge-relay.ts'
import { transition } from './transition.ts'

export type ExpiryOutcome = { expired: true } | { expired: false; dueAt: Date | null }

/**
 * Expires an intent whose time is up (SPEC 3): the same guarded write as any move, so `payment.expired` is told
 * exactly once however often this runs. Too early: says when; nothing to do any more, or a payment is under way, which expires it
 * when it ends: `dueAt` null.
 */
export async function expireIntent(deps: Deps, referenceNumber: string): Promise<ExpiryOutcome> {
  const intent = await deps.Intent.findOne({
    referenceNumber,
    status: { $in: moves.expire.from },
    underWay: null,
  }).lean<Intent | null>()
  if (intent === null) return { expired: false, dueAt: null }
  if (intent.expiresAt > deps.now()) return { expired: false, dueAt: intent.expiresAt }
  const expired = await transition(deps, intent, { move: 'expire', effectId: null, cause: null })
  if (expired === null) return { expired: false, dueAt: null }
  nudgeRelay(deps, expired)
  return { expired: true }
}

/** The job that expires an intent when its time is up. The reference as id: a second add is a no-op. */
export const expiryJob = (intent: Pick<Intent, 'referenceNumber' | 'expiresAt'>, now: Date) => ({
  data: { referenceNumber: intent.referenceNumber },
  jobId: intent.referenceNumber,
  delayMs: Math.max(0, intent.expiresAt.getTime() - now.getTime()),
})
