import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import type { IntentToChange } from './batchers.ts'
import type { Intent } from './intent.ts'

/**
 * Finds the caller's intent, without its outbox. Throws INTENT_NOT_FOUND for an unknown reference, another business's
 * intent, or a test intent that the clean-up is removing. Throws SANDBOX_MISMATCH for an intent in the caller's other
 * environment (SPEC 4.2).
 */
export async function findIntent(
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  deadlineAt: number,
): Promise<Intent> {
  return ownedBy(caller, await deps.batchers.findIntent(referenceNumber, deadlineAt))
}

/** Like `findIntent`, for a request that may change the intent. */
export const findIntentToChange = async (
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  deadlineAt: number,
): Promise<IntentToChange> =>
  ownedBy(caller, await deps.batchers.findIntentToChange(referenceNumber, deadlineAt))

function ownedBy<Stored extends Intent>({ businessId, sandbox }: Caller, intent: Stored | null): Stored {
  if (intent === null || intent.businessId !== businessId || intent.cleanedAt !== undefined)
    throw refuse('INTENT_NOT_FOUND')
  if (intent.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return intent
}
