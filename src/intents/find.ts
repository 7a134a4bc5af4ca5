import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import type { WriteRequest } from '../idempotency/request.ts'
import type { IntentToChange } from './batchers.ts'
import type { Intent } from './intent.ts'

/**
 * Finds one of the caller's intents and returns it without its outbox. Throws INTENT_NOT_FOUND if the reference is
 * unknown or belongs to another business, or if the clean-up is removing the intent. Throws SANDBOX_MISMATCH if the
 * intent belongs to the caller's other environment (SPEC 4.2).
 */
export async function findIntent(
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  deadlineAt: number,
): Promise<Intent> {
  return ownedBy(caller, await deps.batchers.findIntent(referenceNumber, deadlineAt))
}

/** Like `findIntent`, but for a request that may change the intent. */
export const findIntentToChange = async (
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  { key, deadlineAt }: Pick<WriteRequest, 'key' | 'deadlineAt'>,
): Promise<IntentToChange> =>
  ownedBy(caller, await deps.batchers.findIntentToChange({ referenceNumber, key }, deadlineAt))

function ownedBy<Stored extends Intent>({ businessId, sandbox }: Caller, intent: Stored | null): Stored {
  if (intent === null || intent.businessId !== businessId || intent.cleanedAt !== undefined)
    throw refuse('INTENT_NOT_FOUND')
  if (intent.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return intent
}
