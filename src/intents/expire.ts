import type { NewJob } from '../../schemas/jobs.ts'
import { noDeadline } from '../mongo/batchers.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inFairBatches } from '../mongo/in-fair-batches.ts'
import { wakeRelay } from '../outbox/wake-relay.ts'
import type { Deps } from '../platform/deps.ts'
import type { Intent } from './intent.ts'
import { transitions } from './lifecycle.ts'
import { applyTransition } from './transition.ts'

type ExpireDeps = Pick<Deps, 'batchers' | 'enqueue' | 'metrics' | 'now'>

/** The result for one intent. `dueAt` is the time at which the intent will be due, or null if nothing is left to do. */
export type ExpiryOutcome = { expired: true } | { expired: false; dueAt: Date | null }

const expiry = { name: 'expire', marking: null, cause: null } as const

/**
 * Expires an intent if it is due (SPEC 3). An expiry is one guarded write, so the intent gets exactly one
 * `payment.expired` event, however often this function runs. Does nothing if the intent is not PENDING or if a payment
 * holds it. If the intent is overdue when that payment ends, the expiry is enqueued again.
 */
export async function expireIntent(
  deps: ExpireDeps,
  referenceNumber: string,
  deadlineAt = noDeadline,
): Promise<ExpiryOutcome> {
  const intent = await deps.batchers.findExpiring(referenceNumber, deadlineAt)
  if (intent === null) return { expired: false, dueAt: null }
  if (intent.expiresAt > deps.now()) return { expired: false, dueAt: intent.expiresAt }
  const expired = await applyTransition(deps, intent, expiry, deadlineAt)
  if (expired === null) return { expired: false, dueAt: null }
  wakeRelay(deps, expired)
  return { expired: true }
}

/**
 * Expires the intents that are due. `expired` is the number of intents that this call has expired. `dueAt` is the
 * earliest time at which one of the other intents will be due, or null if none of them can expire.
 */
export async function expireIntents(
  deps: ExpireDeps,
  referenceNumbers: readonly string[],
): Promise<{ expired: number; dueAt: Date | null }> {
  const outcomes = await Promise.all(referenceNumbers.map((each) => expireIntent(deps, each)))
  const later = outcomes.flatMap((outcome) => (outcome.expired ? [] : (outcome.dueAt?.getTime() ?? [])))
  return {
    expired: outcomes.filter(({ expired }) => expired).length,
    dueAt: later.length === 0 ? null : new Date(Math.min(...later)),
  }
}

/** Returns the job that expires an intent when it is due. */
export const expiryJob = (
  { referenceNumber, expiresAt }: Pick<Intent, 'referenceNumber' | 'expiresAt'>,
  now: Date,
): NewJob<'intent-expiry'> => ({
  data: { referenceNumbers: [referenceNumber] },
  jobId: undefined,
  delayMs: Math.max(0, expiresAt.getTime() - now.getTime()),
})

/**
 * The poll skips intents that became due less than this long ago, because the jobs that expire them may be about to
 * run.
 */
const graceMs = 1_500
/** The maximum number of intents that one run of the poll expires for one business. */
const maxPerBusiness = 1_000

type Expiring = Pick<Intent, '_id' | 'businessId' | 'referenceNumber' | 'cancelsAt'>

/**
 * Expires the due intents that no job has expired yet. In each run, every business gets a fair share. Returns the
 * number of intents that were found. The search does not find an intent that a payment holds, because the `cancelsAt`
 * of such an intent is `neverCancels`.
 */
export function expireDue(
  deps: Pick<Deps, 'Intent' | 'batchers' | 'enqueue' | 'metrics' | 'now'>,
  perBusiness = maxPerBusiness,
): Promise<number> {
  const { from, guard } = transitions.expire
  const { cancelsAt: isDue } = guard(new Date(deps.now().getTime() - graceMs))
  return inFairBatches<Expiring>(
    perBusiness,
    (last, without) =>
      nativeCollection(deps.Intent).find<Expiring>(
        {
          status: { $in: [...from] },
          cancelsAt: { ...isDue, ...(last?.cancelsAt ? { $gte: last.cancelsAt } : {}) },
          businessId: { $nin: [...without] },
        },
        {
          projection: { businessId: 1, referenceNumber: 1, cancelsAt: 1 },
          hint: 'expiring',
          sort: { cancelsAt: 1 },
        },
      ),
    async (intents) => {
      await expireIntents(
        deps,
        intents.map(({ referenceNumber }) => referenceNumber),
      )
    },
  )
}
