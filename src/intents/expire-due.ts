import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inFairBatches } from '../mongo/in-fair-batches.ts'
import { expireIntents } from './expire.ts'
import type { Intent } from './intent.ts'
import { transitions } from './lifecycle.ts'

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
 * number of intents that were found.
 */
export async function expireDue(deps: Deps, perBusiness = maxPerBusiness): Promise<number> {
  const before = new Date(deps.now().getTime() - graceMs)
  return inFairBatches<Expiring>(
    perBusiness,
    (last, without) => findExpiring(deps, before, last, without),
    async (intents) => {
      await expireIntents(
        deps,
        intents.map(({ referenceNumber }) => referenceNumber),
      )
    },
  )
}

/**
 * Finds the intents that became due before `before`. The search does not find an intent that a payment holds, because
 * the `cancelsAt` of such an intent is `neverCancels`.
 */
const findExpiring = (
  deps: Pick<Deps, 'Intent'>,
  before: Date,
  last: Expiring | null,
  without: readonly string[],
): AsyncIterable<Expiring> =>
  nativeCollection(deps.Intent).find<Expiring>(
    {
      status: { $in: [...transitions.expire.from] },
      cancelsAt: {
        ...transitions.expire.guard(before).cancelsAt,
        ...(last?.cancelsAt ? { $gte: last.cancelsAt } : {}),
      },
      businessId: { $nin: [...without] },
    },
    {
      projection: { businessId: 1, referenceNumber: 1, cancelsAt: 1 },
      hint: 'expiring',
      sort: { cancelsAt: 1 },
    },
  )
