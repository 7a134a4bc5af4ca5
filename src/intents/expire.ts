import type { NewJob } from '../../schemas/jobs.ts'
import { noDeadline } from '../mongo/batchers.ts'
import { rawCollection } from '../mongo/collection.ts'
import { runInFairBatches } from '../mongo/in-batches.ts'
import { wakeRelay } from '../outbox/event.ts'
import type { Deps } from '../platform/deps.ts'
import type { Intent } from './intent.ts'
import { transitions } from './lifecycle.ts'
import { applyTransition } from './transition.ts'

type ExpireDeps = Pick<Deps, 'batchers' | 'enqueue' | 'metrics' | 'now'>

type ExpiryOutcome = { expired: true } | { expired: false; dueAt: Date | null }

const expiry = { name: 'expire', marking: null, cause: null } as const

/** SPEC 3. Does nothing while a payment holds the intent. */
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

/** `dueAt` is the earliest expiry of the intents that weren't due yet. */
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

export const newExpiryJob = (
  { referenceNumber, expiresAt }: Pick<Intent, 'referenceNumber' | 'expiresAt'>,
  now: Date,
): NewJob<'intent-expiry'> => ({
  data: { referenceNumbers: [referenceNumber] },
  delayMs: Math.max(0, expiresAt.getTime() - now.getTime()),
})

/** A job that became due this recently may be about to run. */
const graceMs = 1_500
const maxPerBusiness = 1_000

type Expiring = Pick<Intent, '_id' | 'businessId' | 'referenceNumber' | 'cancelsAt'>

/** Expires intents whose job was lost. Returns how many it found. */
export function expireDueIntents(
  deps: ExpireDeps & Pick<Deps, 'Intent'>,
  perBusiness = maxPerBusiness,
): Promise<number> {
  const { from, guard } = transitions.expire
  const { cancelsAt: isDue } = guard(new Date(deps.now().getTime() - graceMs))
  return runInFairBatches<Expiring>(
    perBusiness,
    (last, without) =>
      rawCollection(deps.Intent).find<Expiring>(
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
      const references = intents.map(({ referenceNumber }) => referenceNumber)
      await expireIntents(deps, references)
    },
  )
}
