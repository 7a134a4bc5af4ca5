import type { Caller } from '../businesses/caller.ts'
import type { WriteRequest } from '../idempotency/request.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import type { IntentToChange } from './batchers.ts'
import { codeKeyOf, isCodeActive } from './code.ts'
import type { Intent } from './intent.ts'
import { asOf, expiryFields } from './present.ts'

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

const neededFields = { shortCode: 1, codeExpiresAt: 1, ...expiryFields }

/**
 * Finds the intent with this payment code. `sandboxOf` is the id of the business whose test intents are searched, or
 * null to search the live intents of all businesses. Returns null if the code is unknown or no longer active, for
 * example because the intent has been paid or has expired.
 */
export async function findByCode(
  deps: Pick<Deps, 'Intent' | 'now'>,
  sandboxOf: string | null,
  code: string,
): Promise<Pick<Intent, 'shortCode'> | null> {
  const codeKey = codeKeyOf({ businessId: sandboxOf ?? '', sandbox: sandboxOf !== null }, code)
  const intent = await deps.Intent.findOne({ codeKey }, neededFields).lean<Intent | null>()
  if (intent === null) return null
  const now = deps.now()
  return isCodeActive(asOf(intent, now), now) ? intent : null
}
