import type { Model } from 'mongoose'
import { pastMongoose } from '../collection.ts'
import type { Deps } from '../deps.ts'
import { type Lane, noHurry } from '../group-commit/lane.ts'
import { createReadLane } from '../group-commit/read-lane.ts'
import type { NewJob } from '../jobs.ts'
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

/** Expires intents whose time is up. `dueAt`: when the first of the others is to be expired, or null. */
export async function expireTogether(
  deps: Deps,
  referenceNumbers: readonly string[],
): Promise<{ expired: number; dueAt: Date | null }> {
  const outcomes = await Promise.all(referenceNumbers.map((each) => expireIntent(deps, each)))
  const later = outcomes.flatMap((outcome) => (outcome.expired ? [] : (outcome.dueAt?.getTime() ?? [])))
  return {
    expired: outcomes.filter(({ expired }) => expired).length,
    dueAt: later.length === 0 ? null : new Date(Math.min(...later)),
  }
}

/** The lane of intents that may expire, by reference: the intents of a sale that began at noon all expire in the same second. Without their metadata, which may have 150 KB. */
export const createExpiringLane = (Intent: Model<Intent>): Lane<string, Intent | null> =>
  createReadLane(
    (referenceNumbers) =>
      pastMongoose(Intent)
        .find(mayExpire(referenceNumbers), { projection: { metadata: 0 } })
        .toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )

const mayExpire = (referenceNumbers: string[]) => ({
  referenceNumber: { $in: referenceNumbers },
  status: { $in: moves.expire.from },
  underWay: null,
})

/** Intents of one job, and how far apart they may expire: it runs when the last of them is due. */
const mostInJob = 100
const apartAtMostMs = 500

type Expiring = Pick<Intent, 'referenceNumber' | 'expiresAt'>

/** The jobs that expire intents when their time is up. One job for all that expire together takes a tenth of the memory of Redis, and of the work. */
export function expiryJobs(intents: readonly Expiring[], now: Date): NewJob<'intent-expiry'>[] {
  const groups: Expiring[][] = []
  for (const intent of intents.toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime())) {
    const group = groups.at(-1)
    const [first] = group ?? []
    const isTogether =
      first !== undefined && intent.expiresAt.getTime() - first.expiresAt.getTime() <= apartAtMostMs
    if (group === undefined || !isTogether || group.length === mostInJob) groups.push([intent])
    else group.push(intent)
  }
  return groups.map((group) => ({
    data: { referenceNumbers: group.map(({ referenceNumber }) => referenceNumber) },
    jobId: undefined,
    delayMs: Math.max(0, (group.at(-1)?.expiresAt.getTime() ?? 0) - now.getTime()),
  }))
}
