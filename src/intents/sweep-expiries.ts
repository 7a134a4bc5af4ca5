import type { Deps } from '../deps.ts'
import { inBatches } from '../in-batches.ts'
import { expiryJob } from './expire.ts'
import type { Intent } from './intent.ts'
import { moves } from './lifecycle.ts'

/** Re-creates the jobs of intents whose time is up by `soon`. Answers how many those are. */
export async function sweepExpiries(deps: Deps, soon: Date): Promise<number> {
  const now = deps.now()
  const found = deps.Intent.find(
    // Skips intents that a payment holds: the write that ends the payment enqueues the expiry.
    { status: { $in: moves.expire.from }, ...moves.expire.guard(soon) },
    { referenceNumber: 1, expiresAt: 1 },
  ).lean<Intent[]>()
  const queue = 'intent-expiry'
  return inBatches(found.cursor(), (intents) =>
    deps.queues.standing.readd(
      [queue],
      intents.map((intent) => ({ queue, job: expiryJob(intent, now) })),
    ),
  )
}
