import type { Model } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import type { Deps } from '../deps.ts'
import { type Lane, noHurry } from '../group-commit/lane.ts'
import { createReadLane } from '../group-commit/read-lane.ts'
import type { Intent } from './intent.ts'
import { moves } from './lifecycle.ts'
import { nudgeRelay } from './nudge-relay.ts'
import { transitionTogether } from './transition.ts'

/** `expired`: by this call, as far as it could tell (transitionTogether). */
export type ExpiryOutcome = { expired: true } | { expired: false; dueAt: Date | null }

const expiry = { move: 'expire', effectId: null, cause: null } as const

/**
 * Expires an intent whose time is up (SPEC 3): the same guarded write as any move, so `payment.expired` is told
 * exactly once however often this runs. Too early: says when; nothing to do any more, or a payment is under way, whose end asks for
 * this again: `dueAt` null.
 */
export async function expireIntent(deps: Deps, referenceNumber: string): Promise<ExpiryOutcome> {
  const intent = await deps.lanes.findExpiring(referenceNumber, noHurry)
  if (intent === null) return { expired: false, dueAt: null }
  if (intent.expiresAt > deps.now()) return { expired: false, dueAt: intent.expiresAt }
  const expired = await transitionTogether(deps, intent, expiry, noHurry)
  if (expired === null) return { expired: false, dueAt: null }
  nudgeRelay(deps, expired)
  return { expired: true }
}

/** The lane of intents that may expire, by reference: the intents of a sale that began at noon all expire in the same second. */
export const createExpiringLane = (Intent: Model<Intent>): Lane<string, Intent | null> =>
  createReadLane(
    (referenceNumbers) => pastMongoose(Intent).find(mayExpire(referenceNumbers)).toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )

const mayExpire = (referenceNumbers: string[]) => ({
  referenceNumber: { $in: referenceNumbers },
  status: { $in: moves.expire.from },
  underWay: null,
})

/** The job that expires an intent when its time is up. The reference as id: a second add is a no-op. */
export const expiryJob = (intent: Pick<Intent, 'referenceNumber' | 'expiresAt'>, now: Date) => ({
  data: { referenceNumber: intent.referenceNumber },
  jobId: intent.referenceNumber,
  delayMs: Math.max(0, intent.expiresAt.getTime() - now.getTime()),
})
