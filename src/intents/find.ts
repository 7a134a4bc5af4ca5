import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import type { IntentToChange } from './batchers.ts'
import type { Intent } from './intent.ts'

/**
 * The caller's own intent. INTENT_NOT_FOUND for an unknown reference, another business's, or a test that the clean-up is taking away;
 * SANDBOX_MISMATCH for one of the caller's other environment (SPEC 4.2).
 * Does not read the sealed response or the outbox. `deadlineAt`: see mongo/batching/batcher.ts.
 */
export async function findIntent(
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  deadlineAt: number,
): Promise<Intent> {
  return ownedBy(caller, await deps.batchers.findIntent(referenceNumber, deadlineAt))
}

/** As `findIntent`, for a request that may change the intent. */
export const findIntentToChange = async (
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  deadlineAt: number,
): Promise<IntentToChange> =>
  ownedBy(caller, await deps.batchers.findIntentToChange(referenceNumber, deadlineAt))

function ownedBy<Found extends Intent>({ businessId, sandbox }: Caller, intent: Found | null): Found {
  if (intent === null || intent.businessId !== businessId || intent.cleanedAt !== undefined)
    throw refuse('INTENT_NOT_FOUND')
  if (intent.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return intent
}
