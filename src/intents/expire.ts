import type { Deps } from '../deps.ts'
import { noHurry } from '../mongo/batching/batcher.ts'
import { wakeRelay } from '../outbox/wake-relay.ts'
import type { NewJob } from '../queues/jobs.ts'
import type { Intent } from './intent.ts'
import { transitionTogether } from './transition.ts'

/** `dueAt`: when to try again, or null if there is nothing to do. */
export type ExpiryOutcome = { expired: true } | { expired: false; dueAt: Date | null }

const expiry = { move: 'expire', effectId: null, cause: null } as const

/**
 * Expires an intent whose time is up (SPEC 3). Like any transition it is one guarded write, so there is exactly one `payment.expired`, however
 * often this runs. If it is too early, returns when. Does nothing if the intent is not PENDING, or if a payment holds it: the end of
 * the payment enqueues the expiry again.
 */
export async function expireIntent(deps: Deps, referenceNumber: string): Promise<ExpiryOutcome> {
  const intent = await deps.batchers.findExpiring(referenceNumber, noHurry)
  if (intent === null) return { expired: false, dueAt: null }
  if (intent.expiresAt > deps.now()) return { expired: false, dueAt: intent.expiresAt }
  const expired = await transitionTogether(deps, intent, expiry, noHurry)
  if (expired === null) return { expired: false, dueAt: null }
  wakeRelay(deps, expired)
  return { expired: true }
}

/** Expires intents whose time is up. `dueAt`: when the next of the others is due, or null. */
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

const mostInJob = 100
/** How far apart the intents of a job may expire. The job runs when the last of them is due. */
const apartAtMostMs = 500

type Expiring = Pick<Intent, 'referenceNumber' | 'expiresAt'>

/** Jobs that expire intents when their time is up. Intents that expire together share a job, for a tenth of the memory of Redis and of the work. */
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
