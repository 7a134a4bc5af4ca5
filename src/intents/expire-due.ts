import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inFairBatches } from '../mongo/in-fair-batches.ts'
import { expireIntents } from './expire.ts'
import type { Intent } from './intent.ts'
import { transitions } from './lifecycle.ts'

/** How long the poll leaves an intent that has just expired to its job, which may still arrive. */
const graceMs = 1_500
/** The most intents of one business that one run of the poll expires. */
const maxPerBusiness = 1_000

type Expiring = Pick<Intent, '_id' | 'businessId' | 'referenceNumber' | 'cancelsAt'>

/**
 * Expires due intents that no job has expired, with a share for each business. Returns the number of intents that it
 * found.
 */
export async function expireDue(deps: Deps): Promise<number> {
  const before = new Date(deps.now().getTime() - graceMs)
  return inFairBatches<Expiring>(
    maxPerBusiness,
    (last, without) => findExpiring(deps, before, last, without),
    async (intents) => {
      await expireIntents(
        deps,
        intents.map(({ referenceNumber }) => referenceNumber),
      )
    },
  )
}

/** Skips intents that a payment holds: their `cancelsAt` is `neverCancels`. */
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
