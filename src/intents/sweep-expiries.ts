import type { Deps } from '../deps.ts'
import { inFairBatches } from '../in-fair-batches.ts'
import { freshPriority } from '../webhooks/attempts/priority.ts'
import { expiryJob } from './expire.ts'
import type { Intent } from './intent.ts'
import { moves } from './lifecycle.ts'

type Expiring = Pick<Intent, 'businessId' | 'referenceNumber' | 'expiresAt' | 'cancelsAt'>

/**
 * Re-creates the jobs of intents whose time is up by `soon`, of each business a share. The more of them a business has, the later they run.
 * Returns how many jobs those are.
 */
export async function sweepExpiries(deps: Deps, soon: Date): Promise<number> {
  const now = deps.now()
  const queue = 'intent-expiry'
  return inFairBatches<Expiring>(
    (last, without) => findExpiring(deps, last, without, soon),
    (intents) =>
      deps.queues.standing.readd(
        [queue],
        intents.map(({ doc, before }) => ({
          queue,
          job: { ...expiryJob(doc, now), priority: freshPriority(before) },
        })),
      ),
  )
}

/** Skips intents that a payment holds: the write that ends the payment enqueues the expiry. */
const findExpiring = (
  deps: Pick<Deps, 'Intent'>,
  last: Expiring | null,
  without: readonly string[],
  soon: Date,
): AsyncIterable<Expiring> =>
  deps.Intent.find(
    {
      status: { $in: moves.expire.from },
      cancelsAt: {
        ...moves.expire.guard(soon).cancelsAt,
        ...(last === null ? {} : { $gte: last.cancelsAt }),
      },
      businessId: { $nin: without },
    },
    { businessId: 1, referenceNumber: 1, expiresAt: 1, cancelsAt: 1 },
    { hint: 'expiring', sort: { cancelsAt: 1 } },
  )
    .lean<Expiring[]>()
    .cursor()
