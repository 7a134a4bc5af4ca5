import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import type { Intent } from './intent.ts'

/**
 * The caller's own intent. INTENT_NOT_FOUND for an unknown reference, another business's, or a test that the clean-up is taking away;
 * SANDBOX_MISMATCH for one of the caller's other environment (SPEC 4.2).
 */
export async function findIntent(
  deps: Pick<Deps, 'Intent'>,
  caller: Caller,
  referenceNumber: string,
): Promise<Intent> {
  const { businessId, sandbox } = caller
  const intent = await deps.Intent.findOne({ businessId, referenceNumber }).lean<Intent | null>()
  if (intent === null || intent.cleanedAt !== undefined) throw refuse('INTENT_NOT_FOUND')
  if (intent.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return intent
}
